import type { Scope, Visit } from './write-history.ts';
import type { Kind, Stamp } from '#store/records.ts';
import type { Budget, Kept } from '#store/store.ts';

type Soon<T> = T | Promise<T>;

/** What is durable, as works are decided on it: the state in memory, or a database in which nobody else writes meanwhile. */
export interface Durable {
  /** The latest stamp given. */
  readonly last: Stamp | null;
  readonly frozen: boolean;
  /** @returns the record, hidden or not. */
  find(id: string): Soon<(Kept & { hidden: boolean }) | undefined>;
  /** @returns whether an operator erased the record. */
  erased(id: string): Soon<boolean>;
  /** @returns whether a record of that kind has that stamp already. */
  taken(kind: Kind, at: Stamp): Soon<boolean>;
  /** @returns anything but undefined where a moderation has that stamp already. */
  moderatedAt(at: Stamp): Soon<unknown>;
  readonly ledger: {
    window(
      visitor: string,
      budget: Budget,
      now: number,
      span: number,
      limit: number,
    ): Soon<readonly Pick<Visit, 'at'>[]>;
    withKey(
      scope: Scope,
      key: string,
      now: number,
      span: number,
    ): Soon<Pick<Visit, 'id' | 'content'> | undefined>;
    withContent(
      scope: Scope,
      content: string,
      now: number,
      span: number,
    ): Soon<Pick<Visit, 'id'> | undefined>;
  };
}
