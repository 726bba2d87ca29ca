import { hashWord } from '#store/engine/word-hash.ts';
import type { Post, Timestamp } from '#store/records.ts';
import { Float64Column } from '#store/memory/float64-column.ts';
import { Int32Column, NONE } from '#store/memory/int32-column.ts';
import { LinkedLists } from '#store/memory/linked-lists.ts';
import { bearingOn, comparableName, dueOf, statedDueOf, type WorkFacts } from '#store/work/work-rules.ts';
import type { BoardLinks, BoardPost } from './board-links.ts';

/** Of one thread and name: its WORKs, and its RESULTs without and with a due line. */
const GROUP_LISTS = ['works', 'ends', 'extends'] as const;

/** Which WORKs are done, and when the others are due. Posts are numbers. */
export class WorkBearings<Entry extends BoardPost> {
  readonly #links: BoardLinks<Entry>;
  /** By WORK or RESULT, `statedDueOf`. */
  readonly #statedDue = new Float64Column();
  /** By WORK or RESULT with a name, a hash of that, so that no name of an erased post is left. */
  readonly #names = new Float64Column();
  /** By hash of a thread and a name, the number of their lists. */
  readonly #groups = new Map<number, number>();
  /** The WORKs of one thread and name, hidden or not, and its visible RESULTs, by `#groupList`. */
  readonly #groupLists: LinkedLists;
  /** By WORK, the number of visible posts that take it up and end it. */
  readonly #enders = new Int32Column();
  /** By WORK, the newest visible post that takes it up and extends it. */
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
    const works = this.#groupList(record, 'works');
    if (works !== undefined) this.#groupLists.add(works, number);
    let enders = 0;
    for (const taker of this.#links.visibleTakers(number))
      if (this.#bearing(number, taker) === 'ends') enders += 1;
    this.#enders.set(number, enders);
    this.#extender.set(number, this.#findExtender(number));
  }

  /**
   * A WORK or RESULT becomes visible (1), or ceases to be (-1).
   * @returns the WORKs that may be done now, or no more, or due at another time
   */
  update(entry: Entry, sign: 1 | -1): Set<number> {
    const { record, number } = entry;
    const works = record.prefix === 'RESULT' ? this.#updateGroup(entry, sign) : new Set<number>();
    this.#links.forEachReference(number, (_, target) => {
      if (this.#links.entryAt(target)?.record.prefix === 'WORK' && this.#bear(target, number, sign))
        works.add(target);
    });
    return works;
  }

  /** The post, which is hidden, is removed. */
  erase({ record, number }: Entry): void {
    const works = record.prefix === 'WORK' ? this.#groupList(record, 'works') : undefined;
    if (works !== undefined) this.#groupLists.remove(works, number);
    if (!Number.isNaN(this.#statedDue.get(number))) this.#statedDue.set(number, NaN);
    if (!Number.isNaN(this.#names.get(number))) this.#names.set(number, NaN);
  }

  isDone({ record, number }: Entry): boolean {
    return this.#enders.get(number) > 0 || this.#newestOf(record, 'ends') !== NONE;
  }

  /** @returns the due time in force of a WORK, in milliseconds since 1970 */
  dueAt({ record, number }: Entry): number {
    const [taker, result] = [this.#extender.get(number), this.#newestOf(record, 'extends')];
    const extender = this.#createdAt(taker) < this.#createdAt(result) ? result : taker;
    return extender === NONE ? dueOf(record).at : this.#statedDue.get(extender);
  }

  /**
   * Adds a RESULT to its thread and name, or removes it.
   * @returns the WORKs there that it may end or extend: only those that no other RESULT decides, so that a long list of
   * WORKs is not walked with every RESULT
   */
  #updateGroup({ record, number }: Entry, sign: 1 | -1): Set<number> {
    const found = new Set<number>();
    const list = this.#groupList(record, Number.isNaN(this.#statedDue.get(number)) ? 'ends' : 'extends');
    const [works, enders] = [this.#groupList(record, 'works'), this.#groupList(record, 'ends')];
    if (list === undefined || works === undefined || enders === undefined) return found;
    if (sign === -1) this.#groupLists.remove(list, number);
    // Without the RESULT in its list.
    const isDecided = this.#createdAt(this.#groupLists.last(list)) > record.createdAt;
    const ended = this.#createdAt(this.#groupLists.last(enders));
    if (sign === 1) this.#groupLists.add(list, number);
    if (isDecided) return found;
    for (let work = this.#groupLists.last(works); work !== NONE; work = this.#groupLists.previous(work)) {
      const createdAt = this.#createdAt(work);
      if (createdAt <= ended) break;
      if (createdAt < record.createdAt) found.add(work);
    }
    return found;
  }

  /** @returns the newest visible RESULT of the thread and name of a WORK that ends or extends it, or `NONE` */
  #newestOf(work: Post, bearing: 'ends' | 'extends'): number {
    const list = this.#groupList(work, bearing);
    const result = list === undefined ? NONE : this.#groupLists.last(list);
    return this.#createdAt(result) > work.createdAt ? result : NONE;
  }

  /** @returns whether the post, which takes up the WORK, bears on it */
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
    return bearingOn(workFacts, otherFacts, true);
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

  #findExtender(work: number): number {
    const takers = this.#links.visibleTakers(work);
    return takers.find((taker) => this.#bearing(work, taker) === 'extends') ?? NONE;
  }

  /** @returns the list of one thread and name; undefined for a post without a name */
  #groupList({ rootId, name }: Post, list: (typeof GROUP_LISTS)[number]): number | undefined {
    const key = comparableName(name);
    if (key === null) return undefined;
    const hash = hashWord(`${rootId} ${key}`);
    let group = this.#groups.get(hash);
    if (group === undefined) this.#groups.set(hash, (group = this.#groups.size));
    return GROUP_LISTS.length * group + GROUP_LISTS.indexOf(list);
  }

  #createdAt(post: number): Timestamp {
    return this.#links.entryAt(post)?.record.createdAt ?? '';
  }
}
