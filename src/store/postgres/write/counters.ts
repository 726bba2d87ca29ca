import type { RecordState } from '#store/port/lookups.ts';
import type { Totals } from '#store/port/store.ts';

interface CounterDelta {
  readonly id: string;
  children: number;
}

/** Sums how the counts of other records and the totals change when records become visible or hidden. */
export class CounterDeltas {
  readonly #byId = new Map<string, CounterDelta>();
  readonly #repliesByRoot = new Map<string, number>();
  readonly #byPrefix: Record<string, number>;
  readonly #totals: { -readonly [Name in keyof Totals]: Totals[Name] };

  /** @param totals before the change */
  constructor(totals: Totals) {
    this.#byPrefix = { ...totals.byPrefix };
    this.#totals = { ...totals, byPrefix: this.#byPrefix };
  }

  get totals(): Totals {
    return this.#totals;
  }

  get deltas(): CounterDelta[] {
    return [...this.#byId.values()];
  }

  /** @returns by how much the children of a record have changed */
  childrenOf(id: string): number {
    return this.#byId.get(id)?.children ?? 0;
  }

  /** By how much the number of replies of each thread changes, by root. */
  get replies(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#repliesByRoot);
  }

  /** @param sign 1 for a record that becomes visible, -1 for one that is hidden */
  count({ kind, parentId, rootId, prefix }: RecordState, sign: 1 | -1): void {
    if (parentId !== null) this.#deltaOf(parentId).children += sign;
    if (kind === 'project') this.#totals.projects += sign;
    if (kind === 'guest') this.#totals.guests += sign;
    if (kind !== 'post') return;
    this.#totals.posts += sign;
    if (parentId === null) this.#totals.threads += sign;
    else if (rootId !== null) this.#repliesByRoot.set(rootId, (this.#repliesByRoot.get(rootId) ?? 0) + sign);
    this.#byPrefix[prefix ?? 'none'] = (this.#byPrefix[prefix ?? 'none'] ?? 0) + sign;
  }

  #deltaOf(id: string): CounterDelta {
    let delta = this.#byId.get(id);
    if (delta === undefined) this.#byId.set(id, (delta = { id, children: 0 }));
    return delta;
  }
}
