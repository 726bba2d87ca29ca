import { SortedList } from '#store/engine/sorted-list.ts';
import type { Post, Timestamp } from '#store/records.ts';
import { Float64Column } from '#store/memory/float64-column.ts';
import { Int32Column, NONE } from '#store/memory/int32-column.ts';
import { LinkedLists } from '#store/memory/linked-lists.ts';
import type { WorkCounts, WorkRange } from '#store/store.ts';
import { MAX_UNDER_WAY, MAX_WORK_COUNT } from '#store/work/work-reader.ts';
import {
  closes,
  dueInForce,
  OVERDUE_MS,
  placeOf,
  type DueTime,
  type WorkList,
  type WorkPlace,
} from '#store/work/work-rules.ts';
import type { BoardLinks, BoardPost } from './board-links.ts';
import { WorkBearings } from './work-bearings.ts';

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
export class WorkBoard<Entry extends BoardPost> {
  readonly #links: BoardLinks<Entry>;
  readonly #bearings: WorkBearings<Entry>;
  readonly #lists: Readonly<Record<WorkList, SortedList<number, Timestamp>>>;
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

  constructor(links: BoardLinks<Entry>) {
    this.#links = links;
    this.#bearings = new WorkBearings(links);
    const createdAt = (post: number): Timestamp => links.entryAt(post)?.record.createdAt ?? '';
    const createList = (): SortedList<number, Timestamp> => new SortedList(createdAt);
    this.#lists = {
      ideas: createList(),
      working: createList(),
      overdue: createList(),
      unreviewed: createList(),
    };
    this.#underWay = new LinkedLists(
      (reference, other) => createdAt(links.takerOf(reference)) < createdAt(links.takerOf(other)),
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

  /** Takes in a post, once, before it is visible. Posts that take it up may be there already. */
  arrive(entry: Entry): void {
    const { record, number } = entry;
    if (isStep(record.prefix)) this.#bearings.arrive(entry);
    if (listOf(record.prefix) === null) return;
    const isCloser = (taker: number): boolean => this.#isClosedBy(record, taker);
    const closers = this.#links.visibleTakers(number).filter(isCloser).length;
    if (closers > 0) this.#closers.set(number, closers);
  }

  /** The post becomes visible (1), or ceases to be (-1). The references know already. */
  update(entry: Entry, sign: 1 | -1): void {
    const { record, number } = entry;
    const { prefix } = record;
    const list = listOf(prefix);
    if (list !== null && this.#closerCount(number) === 0) updateList(this.#lists[list], number, sign);
    if (prefix === 'RESULT' || prefix === 'REVIEW') this.#updateClosers(number, sign);
    if (!isStep(prefix)) return;
    for (const work of this.#bearings.update(entry, sign)) this.#refresh(work);
    if (prefix === 'WORK') this.#refresh(number);
  }

  /** The post, which is hidden, is removed. */
  erase(entry: Entry): void {
    this.#bearings.erase(entry);
  }

  /** @returns the posts of a list within a range, as of `advance` */
  page(list: WorkList, { order, limit, before, after }: WorkRange): Entry[] {
    const posts = this.#lists[list];
    const found =
      order === 'newest' ? posts.newest(limit, before, after) : posts.oldest(limit, before, after);
    return found.map((post) => this.#links.entryAt(post)).filter((entry) => entry !== undefined);
  }

  /** @returns the due time in force of a WORK that is on a list */
  dueOf({ record, number }: Entry): DueTime {
    return dueInForce(record, this.#dueAt.get(number));
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

  /** @returns the WORKs under way that take up a post, newest first, with their due times, as of `advance` */
  underWay({ number }: Entry): { work: Post; dueAt: number }[] {
    const works: { work: Post; dueAt: number }[] = [];
    let reference = this.#underWay.last(number);
    for (
      ;
      reference !== NONE && works.length < MAX_UNDER_WAY;
      reference = this.#underWay.previous(reference)
    ) {
      const work = this.#links.takerOf(reference);
      const entry = this.#links.entryAt(work);
      if (entry !== undefined) works.push({ work: entry.record, dueAt: this.#dueAt.get(work) });
    }
    return works;
  }

  /** Puts a WORK where it belongs. */
  #refresh(work: number): void {
    const entry = this.#links.entryAt(work);
    const isOpen = entry?.hidden === false && !this.#bearings.isDone(entry);
    const dueAt = isOpen ? this.#bearings.dueAt(entry) : NaN;
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
    this.#links.forEachReference(work, (reference, target) => {
      if (sign === 1) this.#underWay.add(target, reference);
      else this.#underWay.remove(target, reference);
    });
    this.#updateClosers(work, sign);
  }

  /** Counts a taker at each post that it closes. A WORK is one as long as it is under way. */
  #updateClosers(taker: number, sign: 1 | -1): void {
    const prefix = this.#links.entryAt(taker)?.record.prefix ?? null;
    const place = prefix === 'WORK' ? 'working' : null;
    this.#links.forEachReference(taker, (_, number) => {
      const target = this.#links.entryAt(number);
      const list = listOf(target?.record.prefix ?? null);
      if (target === undefined || list === null || !closes(target.record.prefix, { prefix, place })) return;
      const before = this.#closerCount(number);
      this.#closers.set(number, before + sign);
      const wasOpen = before === 0;
      if (!target.hidden && wasOpen !== (before + sign === 0))
        updateList(this.#lists[list], number, wasOpen ? -1 : 1);
    });
  }

  #isClosedBy({ prefix }: Post, taker: number): boolean {
    const entry = this.#links.entryAt(taker);
    if (entry === undefined) return false;
    return closes(prefix, { prefix: entry.record.prefix, place: this.#placeOf(taker) });
  }

  #closerCount(post: number): number {
    return Math.max(this.#closers.get(post), 0);
  }
}

function updateList(list: SortedList<number, Timestamp>, post: number, sign: 1 | -1): void {
  if (sign === 1) list.add(post);
  else list.remove(post);
}
