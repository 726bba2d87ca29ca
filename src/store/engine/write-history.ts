import type { LimitScope, Kind } from '#store/records.ts';
import { SortedList } from './sorted-list.ts';

/** One published write and who made it. */
export interface WriteEntry {
  readonly visitor: string;
  readonly budget: LimitScope;
  /** Wall-clock time of the write, milliseconds since 1970. */
  readonly at: number;
  readonly kind: Kind;
  readonly id: string;
  readonly key: string | null;
  /** Hash of the validated input. */
  readonly content: string;
}

/** No limit and no retry looks back further. */
export const RETENTION_MS = 24 * 60 * 60 * 1000;

/** A visit stamped further ahead than clocks of one machine differ was made under a wrong clock. */
export const TOLERATED_AHEAD_MS = 60 * 1000;

/** Who wrote what within the last day: what the flood limits and the retries are decided on. */
export class WriteHistory {
  readonly #entriesByClient = new Map<string, SortedList<WriteEntry, number>>();
  readonly #byKey = new Map<string, WriteEntry>();
  readonly #byContent = new Map<string, WriteEntry>();

  add(visit: WriteEntry): void {
    const name = `${visit.budget} ${visit.visitor}`;
    let shelf = this.#entriesByClient.get(name);
    if (shelf === undefined) this.#entriesByClient.set(name, (shelf = new SortedList((item) => item.at)));
    shelf.add(visit);
    if (visit.key !== null) this.#byKey.set(scopedKey(visit, visit.key), visit);
    this.#byContent.set(scopedKey(visit, visit.content), visit);
  }

  /** @returns at most `limit` visits made within `span` ms before `now`, the latest first. */
  recentWrites(visitor: string, budget: LimitScope, now: number, span: number, limit: number): WriteEntry[] {
    const shelf = this.#entriesByClient.get(`${budget} ${visitor}`);
    return shelf?.newest(limit, now + TOLERATED_AHEAD_MS, now - span) ?? [];
  }

  withKey(visit: WriterScope, key: string, now: number, span: number): WriteEntry | undefined {
    return withinWindow(this.#byKey.get(scopedKey(visit, key)), now, span);
  }

  withContent(visit: WriterScope, content: string, now: number, span: number): WriteEntry | undefined {
    return withinWindow(this.#byContent.get(scopedKey(visit, content)), now, span);
  }

  /** Forgets what is older than a day. */
  prune(now: number): void {
    for (const [name, shelf] of this.#entriesByClient) {
      for (const visit of shelf.removeBefore(now - RETENTION_MS)) this.#forget(visit);
      if (shelf.size === 0) this.#entriesByClient.delete(name);
    }
  }

  *entries(): Iterable<WriteEntry> {
    for (const shelf of this.#entriesByClient.values()) yield* shelf.oldest(shelf.size);
  }

  #forget(visit: WriteEntry): void {
    if (visit.key !== null && this.#byKey.get(scopedKey(visit, visit.key)) === visit) {
      this.#byKey.delete(scopedKey(visit, visit.key));
    }
    const name = scopedKey(visit, visit.content);
    if (this.#byContent.get(name) === visit) this.#byContent.delete(name);
  }
}

/** Whose keys and contents are told apart. */
export type WriterScope = Pick<WriteEntry, 'visitor' | 'kind'>;

function scopedKey({ visitor, kind }: WriterScope, name: string): string {
  return `${kind} ${name} ${visitor}`;
}

function withinWindow(visit: WriteEntry | undefined, now: number, span: number): WriteEntry | undefined {
  return visit !== undefined && visit.at > now - span ? visit : undefined;
}
