import { parentIdOf, type AnyRecord } from '#store/records.ts';
import type { Totals } from '#store/store.ts';

const NONE: ReadonlyMap<string, number> = new Map<string, number>();

/** What shows and what no longer shows, added up: by the record that it hangs on or answers, and over all. */
export class Tally {
  readonly #children = new Map<string, number>();
  /** By the prefix of the answers, then by the id of what they answer. */
  readonly #answers = new Map<string, Map<string, number>>();
  readonly #byPrefix: Record<string, number>;
  readonly #totals: { -readonly [Name in keyof Totals]: Totals[Name] };

  constructor(totals: Totals) {
    this.#byPrefix = { ...totals.byPrefix };
    this.#totals = { ...totals, byPrefix: this.#byPrefix };
  }

  get totals(): Totals {
    return this.#totals;
  }

  /** @param sign 1 for a record that shows from now on, -1 for one that shows no more */
  count(record: AnyRecord, sign: 1 | -1): void {
    const parent = parentIdOf(record);
    if (parent !== null) raise(this.#children, parent, sign);
    if ('message' in record) {
      const { prefix, answers } = record;
      this.#totals.posts += sign;
      if (parent === null) this.#totals.threads += sign;
      this.#byPrefix[prefix ?? 'none'] = (this.#byPrefix[prefix ?? 'none'] ?? 0) + sign;
      if (prefix !== null) for (const id of answers) this.#answer(prefix, id, sign);
    } else if ('title' in record) this.#totals.projects += sign;
    else if (!('projectId' in record)) this.#totals.guests += sign;
  }

  /** @returns by how much each record gained or lost, and empties itself of that. */
  taken(): { id: string; children: number; work: number; review: number }[] {
    const [work, review] = [this.#answers.get('WORK'), this.#answers.get('REVIEW')];
    const ids = new Set([this.#children, work ?? NONE, review ?? NONE].flatMap((gains) => [...gains.keys()]));
    const gains = [...ids].map((id) => ({
      id,
      children: this.#children.get(id) ?? 0,
      work: work?.get(id) ?? 0,
      review: review?.get(id) ?? 0,
    }));
    this.#children.clear();
    this.#answers.clear();
    return gains;
  }

  #answer(prefix: string, id: string, sign: 1 | -1): void {
    let gains = this.#answers.get(prefix);
    if (gains === undefined) this.#answers.set(prefix, (gains = new Map<string, number>()));
    raise(gains, id, sign);
  }
}

function raise(counts: Map<string, number>, id: string, by: number): void {
  counts.set(id, (counts.get(id) ?? 0) + by);
}
