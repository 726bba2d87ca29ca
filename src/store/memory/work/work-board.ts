import { SortedList } from '#store/engine/sorted-list.ts';
import { Float64Column } from '#store/memory/columns/float64-column.ts';
import { Int32Column, NONE } from '#store/memory/columns/int32-column.ts';
import { LinkedLists } from '#store/memory/columns/linked-lists.ts';
import type { TimeKey } from '#store/memory/columns/time-key.ts';
import type { KeyRange } from '#store/memory/key-range.ts';
import type { WorkCounts } from '#store/store.ts';
import { MAX_UNDER_WAY, MAX_WORK_COUNT } from '#store/work/work-reader.ts';
import { closes, OVERDUE_MS, placeOf, type WorkList, type WorkPlace } from '#store/work/work-rules.ts';
import type { BoardPosts } from './board-posts.ts';
import { WorkBearings, type StepTraits } from './work-bearings.ts';

const PLACES: readonly (WorkPlace | null)[] = [null, 'working', 'overdue', 'past'];

const isStep = (prefix: string | null): boolean => prefix === 'WORK' || prefix === 'RESULT';

/** @returns the list of an IDEA or a RESULT that nothing closes */
function listOf(prefix: string | null): 'ideas' | 'unreviewed' | null {
  if (prefix === 'IDEA') return 'ideas';
  return prefix === 'RESULT' ? 'unreviewed' : null;
}

/**
 * The lists of work, kept up with every change of a visible post. They are true as of one time, and `advance` moves on
 * the WORKs whose due times lie between that and another one, so a read costs what it returns. Posts are numbers.
 */
export class WorkBoard {
  readonly #posts: BoardPosts;
  readonly #bearings: WorkBearings;
  readonly #lists: Readonly<Record<WorkList, SortedList<number, TimeKey>>>;
  /** The time as of which the lists are true, milliseconds since 1970. */
  #now = 0;
  /** By visible WORK that is not done, when it is due. Invariant: exactly these are in `#dues`. */
  readonly #dueAt = new Float64Column();
  readonly #dues = new SortedList<number, number>((work) => this.#dueAt.get(work));
  /** By WORK, the index in `PLACES`. */
  readonly #places = new Int32Column();
  /** By IDEA or RESULT, the number of visible takers that close it. */
  readonly #closers = new Int32Column();
  /** By target, the references of WORKs under way. */
  readonly #underWay: LinkedLists;

  constructor(posts: BoardPosts) {
    this.#posts = posts;
    this.#bearings = new WorkBearings(posts);
    const createList = (): SortedList<number, TimeKey> => new SortedList((post) => posts.timeOf(post));
    this.#lists = {
      ideas: createList(),
      working: createList(),
      overdue: createList(),
      unreviewed: createList(),
    };
    this.#underWay = new LinkedLists(
      (reference, other) => posts.timeOf(posts.takerOf(reference)) < posts.timeOf(posts.takerOf(other)),
    );
  }

  /** Makes the lists true as of another time, which may be earlier. */
  advance(now: number): void {
    if (now === this.#now) return;
    const [from, to] = now > this.#now ? [this.#now, now] : [now, this.#now];
    this.#now = now;
    for (const shift of [0, OVERDUE_MS]) {
      const passed = this.#dues.oldest(Infinity, to - shift + 1, from - shift - 1);
      for (const work of passed) this.#place(work, placeOf(this.#dueAt.get(work), now));
    }
  }

  /** Takes in a post, once, before it is visible. Posts that take it up may be there already. @param traits of a WORK or RESULT */
  arrive(post: number, traits: StepTraits): void {
    const prefix = this.#posts.prefixOf(post);
    if (isStep(prefix)) this.#bearings.arrive(post, traits);
    if (listOf(prefix) === null) return;
    const isCloser = (taker: number): boolean => this.#isClosedBy(prefix, taker);
    const closers = this.#posts.visibleTakers(post).filter(isCloser).length;
    if (closers > 0) this.#closers.set(post, closers);
  }

  /** The post becomes visible (1), or ceases to be (-1). The references know already. */
  update(post: number, sign: 1 | -1): void {
    const prefix = this.#posts.prefixOf(post);
    const list = listOf(prefix);
    if (list !== null && this.#closerCount(post) === 0) updateList(this.#lists[list], post, sign);
    if (prefix === 'RESULT' || prefix === 'REVIEW') this.#updateClosers(post, sign);
    if (!isStep(prefix)) return;
    for (const work of this.#bearings.update(post, sign)) this.#refresh(work);
    if (prefix === 'WORK') this.#refresh(post);
  }

  /** The post, which is hidden, is about to be removed. */
  erase(post: number): void {
    if (isStep(this.#posts.prefixOf(post))) this.#bearings.erase(post);
  }

  /** @returns the posts of a list within a range, as of `advance` */
  page(list: WorkList, { order, limit, before, after }: KeyRange): number[] {
    const posts = this.#lists[list];
    return order === 'newest' ? posts.newest(limit, before, after) : posts.oldest(limit, before, after);
  }

  /** @returns what `arrive` was given of a WORK or RESULT */
  traitsOf(post: number): StepTraits {
    return this.#bearings.traitsOf(post);
  }

  /** @returns the due time in force of a WORK that is on a list, in milliseconds since 1970 */
  dueAt(work: number): number {
    return this.#dueAt.get(work);
  }

  /** @returns as `Reader.workCounts`, as of `advance` */
  counts(): WorkCounts {
    const count = (list: WorkList): number => Math.min(this.#lists[list].size, MAX_WORK_COUNT);
    const [due] = this.#dues.oldest(1, undefined, this.#now);
    const [past] = this.#dues.oldest(1, undefined, this.#now - OVERDUE_MS - 1);
    const changes = [
      ...(due === undefined ? [] : [this.#dueAt.get(due)]),
      ...(past === undefined ? [] : [this.#dueAt.get(past) + OVERDUE_MS + 1]),
    ];
    return {
      counts: {
        ideas: count('ideas'),
        working: count('working'),
        overdue: count('overdue'),
        unreviewed: count('unreviewed'),
      },
      changesAt: changes.length === 0 ? null : Math.min(...changes),
    };
  }

  /** @returns the WORKs under way that take up a post, newest first, as of `advance` */
  underWay(post: number): number[] {
    const works: number[] = [];
    let reference = this.#underWay.last(post);
    for (; reference !== NONE && works.length < MAX_UNDER_WAY; reference = this.#underWay.previous(reference))
      works.push(this.#posts.takerOf(reference));
    return works;
  }

  /** Puts a WORK where it belongs. */
  #refresh(work: number): void {
    const isOpen = this.#posts.isVisible(work) && !this.#bearings.isDone(work);
    const dueAt = isOpen ? this.#bearings.dueAt(work) : NaN;
    const last = this.#dueAt.get(work);
    if (!Object.is(dueAt, last)) {
      if (!Number.isNaN(last)) this.#dues.remove(work);
      this.#dueAt.set(work, dueAt);
      if (isOpen) this.#dues.add(work);
    }
    this.#place(work, isOpen ? placeOf(dueAt, this.#now) : null);
  }

  #place(work: number, place: WorkPlace | null): void {
    const last = this.#placeOf(work);
    if (place === last) return;
    if (last === 'working' || last === 'overdue') this.#lists[last].remove(work);
    if (last === 'working') this.#updateUnderWay(work, -1);
    this.#places.set(work, PLACES.indexOf(place));
    if (place === 'working' || place === 'overdue') this.#lists[place].add(work);
    if (place === 'working') this.#updateUnderWay(work, 1);
  }

  #placeOf(work: number): WorkPlace | null {
    return PLACES[this.#places.get(work)] ?? null;
  }

  #updateUnderWay(work: number, sign: 1 | -1): void {
    this.#posts.forEachReference(work, (reference, target) => {
      if (sign === 1) this.#underWay.add(target, reference);
      else this.#underWay.remove(target, reference);
    });
    this.#updateClosers(work, sign);
  }

  /** Counts a taker at each post that it closes. A WORK is one as long as it is under way. */
  #updateClosers(taker: number, sign: 1 | -1): void {
    const prefix = this.#posts.prefixOf(taker);
    const place = prefix === 'WORK' ? 'working' : null;
    this.#posts.forEachReference(taker, (_, target) => {
      const targetPrefix = this.#posts.prefixOf(target);
      const list = listOf(targetPrefix);
      if (list === null || !closes(targetPrefix, { prefix, place })) return;
      const before = this.#closerCount(target);
      this.#closers.set(target, before + sign);
      const wasOpen = before === 0;
      if (this.#posts.isVisible(target) && wasOpen !== (before + sign === 0))
        updateList(this.#lists[list], target, wasOpen ? -1 : 1);
    });
  }

  #isClosedBy(prefix: string | null, taker: number): boolean {
    if (!this.#posts.isThere(taker)) return false;
    return closes(prefix, { prefix: this.#posts.prefixOf(taker), place: this.#placeOf(taker) });
  }

  #closerCount(post: number): number {
    return Math.max(this.#closers.get(post), 0);
  }
}

function updateList(list: SortedList<number, TimeKey>, post: number, sign: 1 | -1): void {
  if (sign === 1) list.add(post);
  else list.remove(post);
}
