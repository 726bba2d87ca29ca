import type { Step } from '#message/step.ts';
import { WORK_LISTS, type WorkList } from '#workspace/schemas/work.ts';
import type { Derivation } from './derive-work.ts';
import { findOriginal, findTwin } from './resemblance.ts';
import { judge } from './standing.ts';
import {
  isEnded,
  isOverdue,
  isUnderWay,
  keptUntil,
  OVERDUE_MS,
  type ActiveWork,
  type Idea,
  type Listable,
  type Result,
  type Standing,
} from './work-model.ts';

/** The list of a RESULT, by its standing. Replaced and withdrawn ones are in none. */
const LIST_OF: Readonly<Partial<Record<Standing, WorkList>>> = {
  unreviewed: 'unreviewed',
  confirmed: 'confirmed',
  partly: 'partly',
  notConfirmed: 'disputed',
  contested: 'disputed',
};

/** Steps, oldest first. */
type Shelf = Step[];

/**
 * The lists of work at a time. They are kept: only what changed since the last time is looked at again, and the
 * WORKs that have not ended if the clock changes one.
 */
export class WorkLists {
  /** When the clock alone changes a list next, in milliseconds since 1970; Infinity if it does not. */
  changesAt = Infinity;
  readonly #work: Derivation;
  readonly #shelves: Readonly<Record<WorkList, Shelf>>;
  /** IDEAs and unreviewed RESULTs that resemble others. */
  readonly #copies: Readonly<Record<'ideas' | 'unreviewed', Shelf>> = { ideas: [], unreviewed: [] };
  readonly #places = new Map<Listable, Shelf>();
  /** The WORKs that the clock may move. */
  readonly #open = new Set<ActiveWork>();
  #now = -Infinity;

  constructor(work: Derivation) {
    this.#work = work;
    this.#shelves = Object.fromEntries(
      WORK_LISTS.map((list): [WorkList, Shelf] => [list, []]),
    ) as unknown as Record<WorkList, Shelf>;
  }

  /**
   * Brings the lists up to a time. Yields after each small piece of work: a caller may pause there.
   * @param now milliseconds since 1970
   */
  *update(now: number): Generator<void, void> {
    const { touched } = this.#work;
    const before = this.#now;
    this.#now = now;
    if (now < before || now >= this.changesAt) {
      this.changesAt = Infinity;
      for (const work of this.#open) {
        const times = changesOf(work);
        if (times.some((time) => time > before !== time > now)) this.#touchWork(work);
        this.#expect(times);
        yield;
      }
    }
    for (const one of touched) {
      touched.delete(one);
      this.#place(one);
      yield;
    }
  }

  /**
   * @param oldest the first step that is listed; all if it is left out
   * @returns the lists, newest first; IDEAs and unreviewed RESULTs that resemble others come last
   */
  read(oldest?: Step): Readonly<Record<WorkList, readonly Step[]>> {
    const { ideas, unreviewed } = this.#copies;
    const copies: Partial<Record<WorkList, Shelf>> = { ideas, unreviewed };
    return Object.fromEntries(
      WORK_LISTS.map((list) => [
        list,
        [...newestFirst(this.#shelves[list], oldest), ...newestFirst(copies[list] ?? [], oldest)],
      ]),
    ) as unknown as Record<WorkList, readonly Step[]>;
  }

  #touchWork(work: ActiveWork): void {
    const { touched, ideas } = this.#work;
    touched.add(work);
    for (const { idea } of work.parts) touched.add(idea);
    for (const id of work.takes) {
      const idea = ideas.get(id);
      if (idea !== undefined) touched.add(idea);
    }
  }

  #place(one: Listable): void {
    const shelf = this.#shelfOf(one);
    const before = this.#places.get(one);
    if (shelf === before) return;
    if (before !== undefined) remove(before, one.step);
    if (shelf === undefined) this.#places.delete(one);
    else {
      insert(shelf, one.step);
      this.#places.set(one, shelf);
    }
  }

  #shelfOf(one: Listable): Shelf | undefined {
    if ('twins' in one) return this.#shelfOfIdea(one);
    return 'takes' in one ? this.#shelfOfWork(one) : this.#shelfOfResult(one);
  }

  #shelfOfIdea(idea: Idea): Shelf | undefined {
    if (!isOpen(this.#work, idea, this.#now)) return undefined;
    return (findTwin(idea) === undefined ? this.#shelves : this.#copies).ideas;
  }

  #shelfOfWork(work: ActiveWork): Shelf | undefined {
    if (work.endedBy !== null) {
      this.#open.delete(work);
      return undefined;
    }
    this.#open.add(work);
    this.#expect(changesOf(work));
    if (isUnderWay(work, this.#now)) return this.#shelves.working;
    return isOverdue(work, this.#now) ? this.#shelves.overdue : undefined;
  }

  #shelfOfResult(result: Result): Shelf | undefined {
    const list = LIST_OF[judge(result).standing];
    if (list === undefined) return undefined;
    return list === 'unreviewed' && findOriginal(result) !== undefined
      ? this.#copies.unreviewed
      : this.#shelves[list];
  }

  #expect(times: readonly number[]): void {
    for (const time of times) if (time > this.#now && time < this.changesAt) this.changesAt = time;
  }
}

/** When the clock moves a WORK, or makes free what it keeps. */
function changesOf(work: ActiveWork): number[] {
  const { at } = work.due;
  return [at, at + OVERDUE_MS + 1, ...(work.parts.length > 0 ? [keptUntil(work)] : [])];
}

/** @returns where a step is, or would be, behind those of the same time */
function placeIn(shelf: Shelf, { createdAt }: Step, isBehind: boolean): number {
  let [low, high] = [0, shelf.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const time = shelf[middle]?.createdAt ?? '';
    if (time < createdAt || (isBehind && time === createdAt)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(shelf: Shelf, step: Step): void {
  shelf.splice(placeIn(shelf, step, true), 0, step);
}

function remove(shelf: Shelf, step: Step): void {
  shelf.splice(shelf.indexOf(step, placeIn(shelf, step, false)), 1);
}

/** @returns the steps from the first one that is listed, in reverse order */
function newestFirst(shelf: Shelf, oldest: Step | undefined): Step[] {
  return shelf.slice(oldest === undefined ? 0 : placeIn(shelf, oldest, false)).reverse();
}

/**
 * Whether an IDEA is open: it has free parts; or, without parts, no WORK under way takes it and nothing is
 * done in its thread. One that is a reply is done by a RESULT that replies to it or names it.
 */
function isOpen(work: Derivation, idea: Idea, now: number): boolean {
  if (isEnded(idea)) return false;
  if (idea.parts.length > 0) return freeParts(idea, now).length > 0;
  if (idea.works.some((one) => isUnderWay(one, now))) return false;
  const results = idea.step.parentId === null ? work.resultsIn(idea.step.rootId) : idea.results;
  return !results.some(isDone);
}

/** @returns the names of the parts of an IDEA that no WORK keeps, and for which nothing is done */
export function freeParts({ parts }: Idea, now: number): string[] {
  const isFree = ({ works, results }: Idea['parts'][number]): boolean =>
    !works.some((one) => one.endedBy === null && keptUntil(one) > now) && !results.some(isDone);
  return parts.filter(isFree).map(({ name }) => name);
}

/** Whether a RESULT shows that something is done: nobody speaks against it, and it is no copy. */
function isDone(result: Result): boolean {
  if (result.isDone === undefined) {
    const { standing } = judge(result);
    const isGood = standing === 'confirmed' || standing === 'partly' || standing === 'unreviewed';
    result.isDone = isGood && findOriginal(result) === undefined;
  }
  return result.isDone;
}
