import { hashWord } from '#store/engine/word-hash.ts';
import { Float64Column } from '#store/memory/columns/float64-column.ts';
import { Int32Column, NONE } from '#store/memory/columns/int32-column.ts';
import { LinkedLists } from '#store/memory/columns/linked-lists.ts';
import { millisecondsOf } from '#store/memory/columns/time-key.ts';
import { ASSUMED_DUE_MS, bearingOn, type WorkFacts } from '#store/work/work-rules.ts';
import type { BoardPosts } from './board-posts.ts';

/** Of one thread and name: its WORKs, and its RESULTs without and with a due line. */
const GROUP_LISTS = ['works', 'ends', 'extends'] as const;

/** What the lists of work know of the text of a WORK or RESULT. */
export interface StepTraits {
  /** As `statedDueOf`; NaN without one. */
  readonly statedDue: number;
  /** A hash of `comparableName`, so that no name of an erased post is left; NaN without one. */
  readonly name: number;
}

/** Which WORKs are done, and when the others are due. Posts are numbers. */
export class WorkBearings {
  readonly #posts: BoardPosts;
  /** By WORK or RESULT, as `StepTraits`. */
  readonly #statedDue = new Float64Column();
  readonly #names = new Float64Column();
  /** By WORK or RESULT with a name, the number of the lists of its thread and name. */
  readonly #groups = new Int32Column();
  /** By hash of a thread and a name, the number of their lists. */
  readonly #groupNumbers = new Map<number, number>();
  /** The WORKs of one thread and name, hidden or not, and its visible RESULTs, by `#groupList`. */
  readonly #groupLists: LinkedLists;
  /** By WORK, the number of visible posts that take it up and end it. */
  readonly #enders = new Int32Column();
  /** By WORK, the newest visible post that takes it up and extends it. */
  readonly #extender = new Int32Column();

  constructor(posts: BoardPosts) {
    this.#posts = posts;
    this.#groupLists = new LinkedLists((post, other) => posts.timeOf(post) < posts.timeOf(other));
  }

  /** Takes in a WORK or RESULT, once, before it is visible. Posts that bear on it may be there already. */
  arrive(post: number, { statedDue, name }: StepTraits): void {
    if (!Number.isNaN(statedDue)) this.#statedDue.set(post, statedDue);
    if (!Number.isNaN(name)) {
      this.#names.set(post, name);
      this.#groups.set(post, this.#groupOf(this.#posts.rootOf(post), name));
    }
    if (this.#posts.prefixOf(post) !== 'WORK') return;
    const works = this.#groupList(post, 'works');
    if (works !== undefined) this.#groupLists.add(works, post);
    let enders = 0;
    for (const taker of this.#posts.visibleTakers(post))
      if (this.#bearing(post, taker) === 'ends') enders += 1;
    if (enders > 0) this.#enders.set(post, enders);
    const extender = this.#findExtender(post);
    if (extender !== NONE) this.#extender.set(post, extender);
  }

  /**
   * A WORK or RESULT becomes visible (1), or ceases to be (-1).
   * @returns the WORKs that may be done now, or no more, or due at another time
   */
  update(post: number, sign: 1 | -1): Set<number> {
    const works = this.#posts.prefixOf(post) === 'RESULT' ? this.#updateGroup(post, sign) : new Set<number>();
    this.#posts.forEachReference(post, (_, target) => {
      if (this.#posts.prefixOf(target) === 'WORK' && this.#bear(target, post, sign)) works.add(target);
    });
    return works;
  }

  /** The post, which is hidden, is about to be removed. */
  erase(post: number): void {
    const works = this.#posts.prefixOf(post) === 'WORK' ? this.#groupList(post, 'works') : undefined;
    if (works !== undefined) this.#groupLists.remove(works, post);
    if (!Number.isNaN(this.#statedDue.get(post))) this.#statedDue.set(post, NaN);
    if (Number.isNaN(this.#names.get(post))) return;
    this.#names.set(post, NaN);
    this.#groups.set(post, NONE);
  }

  traitsOf(post: number): StepTraits {
    return { statedDue: this.#statedDue.get(post), name: this.#names.get(post) };
  }

  isDone(work: number): boolean {
    return this.#enders.get(work) > 0 || this.#newestOf(work, 'ends') !== NONE;
  }

  /** @returns the due time in force of a WORK, in milliseconds since 1970 */
  dueAt(work: number): number {
    const [taker, result] = [this.#extender.get(work), this.#newestOf(work, 'extends')];
    const extender = this.#posts.timeOf(taker) < this.#posts.timeOf(result) ? result : taker;
    const stated = this.#statedDue.get(extender === NONE ? work : extender);
    return Number.isNaN(stated) ? millisecondsOf(this.#posts.timeOf(work)) + ASSUMED_DUE_MS : stated;
  }

  /**
   * Adds a RESULT to its thread and name, or removes it.
   * @returns the WORKs there that it may end or extend: only those that no other RESULT decides, so that a long list of
   * WORKs is not walked with every RESULT
   */
  #updateGroup(result: number, sign: 1 | -1): Set<number> {
    const found = new Set<number>();
    const list = this.#groupList(result, Number.isNaN(this.#statedDue.get(result)) ? 'ends' : 'extends');
    const [works, enders] = [this.#groupList(result, 'works'), this.#groupList(result, 'ends')];
    if (list === undefined || works === undefined || enders === undefined) return found;
    if (sign === -1) this.#groupLists.remove(list, result);
    // Without the RESULT in its list.
    const time = this.#posts.timeOf(result);
    const isDecided = this.#posts.timeOf(this.#groupLists.last(list)) > time;
    const ended = this.#posts.timeOf(this.#groupLists.last(enders));
    if (sign === 1) this.#groupLists.add(list, result);
    if (isDecided) return found;
    for (let work = this.#groupLists.last(works); work !== NONE; work = this.#groupLists.previous(work)) {
      const workTime = this.#posts.timeOf(work);
      if (workTime <= ended) break;
      if (workTime < time) found.add(work);
    }
    return found;
  }

  /** @returns the newest visible RESULT of the thread and name of a WORK that ends or extends it, or `NONE` */
  #newestOf(work: number, bearing: 'ends' | 'extends'): number {
    const list = this.#groupList(work, bearing);
    const result = list === undefined ? NONE : this.#groupLists.last(list);
    return this.#posts.timeOf(result) > this.#posts.timeOf(work) ? result : NONE;
  }

  /** @returns whether the post, which takes up the WORK, bears on it */
  #bear(work: number, other: number, sign: 1 | -1): boolean {
    const bearing = this.#bearing(work, other);
    if (bearing === 'ends') this.#enders.set(work, Math.max(this.#enders.get(work), 0) + sign);
    if (bearing === 'extends') {
      const extender = this.#extender.get(work);
      if (sign === -1 && extender === other) this.#extender.set(work, this.#findExtender(work));
      if (sign === 1 && (extender === NONE || this.#posts.timeOf(extender) < this.#posts.timeOf(other)))
        this.#extender.set(work, other);
    }
    return bearing !== null;
  }

  #bearing(work: number, other: number): ReturnType<typeof bearingOn> {
    if (!this.#posts.isThere(work) || !this.#posts.isThere(other)) return null;
    return bearingOn(this.#facts(work), this.#facts(other), true);
  }

  #facts(post: number): WorkFacts {
    const [name, statedDue] = [this.#names.get(post), this.#statedDue.get(post)];
    return {
      prefix: this.#posts.prefixOf(post),
      time: this.#posts.timeOf(post),
      root: this.#posts.rootOf(post),
      name: Number.isNaN(name) ? null : name,
      statedDue: Number.isNaN(statedDue) ? null : statedDue,
    };
  }

  #findExtender(work: number): number {
    const takers = this.#posts.visibleTakers(work);
    return takers.find((taker) => this.#bearing(work, taker) === 'extends') ?? NONE;
  }

  #groupOf(root: number, name: number): number {
    const hash = hashWord(`${root} ${name}`);
    let group = this.#groupNumbers.get(hash);
    if (group === undefined) this.#groupNumbers.set(hash, (group = this.#groupNumbers.size));
    return group;
  }

  /** @returns the list of the thread and name of a post; undefined for one without a name */
  #groupList(post: number, list: (typeof GROUP_LISTS)[number]): number | undefined {
    const group = this.#groups.get(post);
    return group === NONE ? undefined : GROUP_LISTS.length * group + GROUP_LISTS.indexOf(list);
  }
}
