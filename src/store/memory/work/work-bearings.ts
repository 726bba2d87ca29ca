import { hashWord } from '#store/engine/word-hash.ts';
import type { Post, Timestamp } from '#store/records.ts';
import { Float64Column } from '#store/memory/float64-column.ts';
import { Int32Column, NONE } from '#store/memory/int32-column.ts';
import { LinkedLists } from '#store/memory/linked-lists.ts';
import { bearingOn, comparableName, dueOf, statedDueOf, type WorkFacts } from '#store/work/work-rules.ts';
import type { BoardLinks, BoardPost } from './board-links.ts';

/** Which WORKs are done, and when the others are due. Posts are numbers. */
export class WorkBearings<Entry extends BoardPost> {
  readonly #links: BoardLinks<Entry>;
  /** By WORK or RESULT, `statedDueOf`. */
  readonly #statedDue = new Float64Column();
  /** By WORK or RESULT with a name, a hash of that, so that no name of an erased post is left. */
  readonly #names = new Float64Column();
  /** By hash of a thread and a name, the number of their two lists: WORKs, and RESULTs. */
  readonly #groups = new Map<number, number>();
  /** The WORKs of one thread and name, hidden or not, and its visible RESULTs, by `#groupList`. */
  readonly #groupLists: LinkedLists;
  /** By WORK, the number of visible posts that end it. */
  readonly #enders = new Int32Column();
  /** By WORK, the newest visible post that extends it. */
  readonly #extender = new Int32Column();

  constructor(links: BoardLinks<Entry>) {
    this.#links = links;
    this.#groupLists = new LinkedLists((post, other) => this.#createdAt(post) < this.#createdAt(other));
  }

  /** Takes in a WORK or RESULT, once, before it is visible. Posts that bear on it may be there already. */
  arrive({ record, number }: Entry): void {
    const due = statedDueOf(record);
    if (due !== null) this.#statedDue.set(number, due);
    const name = comparableName(record.name);
    if (name !== null) this.#names.set(number, hashWord(name));
    if (record.prefix !== 'WORK') return;
    const works = this.#groupList(record, 'WORK');
    if (works !== undefined) this.#groupLists.add(works, number);
    let enders = 0;
    for (const other of this.#bearingPosts(number)) if (this.#bearing(number, other) === 'ends') enders += 1;
    this.#enders.set(number, enders);
    this.#extender.set(number, this.#findExtender(number));
  }

  /**
   * A WORK or RESULT becomes visible (1), or ceases to be (-1).
   * @returns the WORKs that may be done now, or no more, or due at another time
   */
  update({ record, number }: Entry, sign: 1 | -1): number[] {
    const results = record.prefix === 'RESULT' ? this.#groupList(record, 'RESULT') : undefined;
    if (results !== undefined) {
      if (sign === 1) this.#groupLists.add(results, number);
      else this.#groupLists.remove(results, number);
    }
    return [...this.#worksOf(number, record)].filter((work) => this.#bear(work, number, sign));
  }

  /** The post, which is hidden, is removed. */
  erase({ record, number }: Entry): void {
    const works = record.prefix === 'WORK' ? this.#groupList(record, 'WORK') : undefined;
    if (works !== undefined) this.#groupLists.remove(works, number);
    if (!Number.isNaN(this.#statedDue.get(number))) this.#statedDue.set(number, NaN);
    if (!Number.isNaN(this.#names.get(number))) this.#names.set(number, NaN);
  }

  isDone(work: number): boolean {
    return this.#enders.get(work) > 0;
  }

  /** @returns the due time in force of a WORK, in milliseconds since 1970 */
  dueAt({ record, number }: Entry): number {
    const extender = this.#extender.get(number);
    return extender === NONE ? dueOf(record).at : this.#statedDue.get(extender);
  }

  /** @returns whether the post bears on the WORK */
  #bear(work: number, other: number, sign: 1 | -1): boolean {
    const bearing = this.#bearing(work, other);
    if (bearing === 'ends') this.#enders.set(work, Math.max(this.#enders.get(work), 0) + sign);
    if (bearing === 'extends') {
      const extender = this.#extender.get(work);
      if (sign === -1 && extender === other) this.#extender.set(work, this.#findExtender(work));
      if (sign === 1 && (extender === NONE || this.#createdAt(extender) < this.#createdAt(other)))
        this.#extender.set(work, other);
    }
    return bearing !== null;
  }

  #bearing(work: number, other: number): ReturnType<typeof bearingOn> {
    const [workFacts, otherFacts] = [this.#facts(work), this.#facts(other)];
    if (workFacts === undefined || otherFacts === undefined) return null;
    let takesUp = false;
    this.#links.forEachReference(other, (_, target) => {
      takesUp ||= target === work;
    });
    return bearingOn(workFacts, otherFacts, takesUp);
  }

  #facts(post: number): WorkFacts | undefined {
    const record = this.#links.entryAt(post)?.record;
    if (record === undefined) return undefined;
    const [name, statedDue] = [this.#names.get(post), this.#statedDue.get(post)];
    return {
      prefix: record.prefix,
      createdAt: record.createdAt,
      root: record.rootId,
      name: Number.isNaN(name) ? null : name,
      statedDue: Number.isNaN(statedDue) ? null : statedDue,
    };
  }

  /** The WORKs that a post takes up, and, of a RESULT, those of its thread and name. */
  #worksOf(post: number, record: Post): Set<number> {
    const works = new Set<number>();
    this.#links.forEachReference(post, (_, target) => {
      if (this.#links.entryAt(target)?.record.prefix === 'WORK') works.add(target);
    });
    if (record.prefix === 'RESULT')
      for (const work of this.#members(this.#groupList(record, 'WORK'))) works.add(work);
    return works;
  }

  /** The visible posts that may bear on a WORK. */
  #bearingPosts(work: number): Set<number> {
    const record = this.#links.entryAt(work)?.record;
    const results = record && this.#groupList(record, 'RESULT');
    return new Set([...this.#links.visibleTakers(work), ...this.#members(results)]);
  }

  #findExtender(work: number): number {
    let newest = NONE;
    for (const other of this.#bearingPosts(work)) {
      if (this.#bearing(work, other) !== 'extends') continue;
      if (newest === NONE || this.#createdAt(newest) < this.#createdAt(other)) newest = other;
    }
    return newest;
  }

  *#members(list: number | undefined): Iterable<number> {
    if (list === undefined) return;
    for (let post = this.#groupLists.last(list); post !== NONE; post = this.#groupLists.previous(post))
      yield post;
  }

  /** @returns the list of one thread and name; undefined for a post without a name */
  #groupList({ rootId, name }: Post, prefix: 'WORK' | 'RESULT'): number | undefined {
    const key = comparableName(name);
    if (key === null) return undefined;
    const hash = hashWord(`${rootId} ${key}`);
    let group = this.#groups.get(hash);
    if (group === undefined) this.#groups.set(hash, (group = this.#groups.size));
    return 2 * group + (prefix === 'WORK' ? 0 : 1);
  }

  #createdAt(post: number): Timestamp {
    return this.#links.entryAt(post)?.record.createdAt ?? '';
  }
}
