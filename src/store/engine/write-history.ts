import type { Budget, Kind } from '#store/records.ts';
import { Shelf } from './sorted-list.ts';

/** One published write and who made it. */
export interface Visit {
  readonly visitor: string;
  readonly budget: Budget;
  /** Wall-clock time of the write, milliseconds since 1970. */
  readonly at: number;
  readonly kind: Kind;
  readonly id: string;
  readonly key: string | null;
  /** Hash of the validated input. */
  readonly content: string;
}

/** No limit and no retry looks back further. */
export const MEMORY_MS = 24 * 60 * 60 * 1000;

/** A visit stamped further ahead than clocks of one machine differ was made under a wrong clock. */
export const TOLERATED_AHEAD_MS = 60 * 1000;

/** Who wrote what within the last day: what the flood limits and the retries are decided on. */
export class Ledger {
  readonly #visits = new Map<string, Shelf<Visit, number>>();
  readonly #byKey = new Map<string, Visit>();
  readonly #byContent = new Map<string, Visit>();

  add(visit: Visit): void {
    const name = `${visit.budget} ${visit.visitor}`;
    let shelf = this.#visits.get(name);
    if (shelf === undefined) this.#visits.set(name, (shelf = new Shelf((item) => item.at)));
    shelf.add(visit);
    if (visit.key !== null) this.#byKey.set(scoped(visit, visit.key), visit);
    this.#byContent.set(scoped(visit, visit.content), visit);
  }

  /** @returns at most `limit` visits made within `span` ms before `now`, the latest first. */
  window(visitor: string, budget: Budget, now: number, span: number, limit: number): Visit[] {
    const shelf = this.#visits.get(`${budget} ${visitor}`);
    return shelf?.newest(limit, now + TOLERATED_AHEAD_MS, now - span) ?? [];
  }

  withKey(visit: Scope, key: string, now: number, span: number): Visit | undefined {
    return within(this.#byKey.get(scoped(visit, key)), now, span);
  }

  withContent(visit: Scope, content: string, now: number, span: number): Visit | undefined {
    return within(this.#byContent.get(scoped(visit, content)), now, span);
  }

  /** Forgets what is older than a day. */
  prune(now: number): void {
    for (const [name, shelf] of this.#visits) {
      for (const visit of shelf.dropBefore(now - MEMORY_MS)) this.#forget(visit);
      if (shelf.size === 0) this.#visits.delete(name);
    }
  }

  *visits(): Iterable<Visit> {
    for (const shelf of this.#visits.values()) yield* shelf.oldest(shelf.size);
  }

  #forget(visit: Visit): void {
    if (visit.key !== null && this.#byKey.get(scoped(visit, visit.key)) === visit) {
      this.#byKey.delete(scoped(visit, visit.key));
    }
    const name = scoped(visit, visit.content);
    if (this.#byContent.get(name) === visit) this.#byContent.delete(name);
  }
}

/** Whose keys and contents are told apart. */
export type Scope = Pick<Visit, 'visitor' | 'kind'>;

function scoped({ visitor, kind }: Scope, name: string): string {
  return `${kind} ${name} ${visitor}`;
}

function within(visit: Visit | undefined, now: number, span: number): Visit | undefined {
  return visit !== undefined && visit.at > now - span ? visit : undefined;
}
