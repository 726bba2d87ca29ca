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

/** Oldest first. */
type StepList = Step[];

/**
 * The lists of work at a time. An update moves only what has changed since the last one. If the clock changes
 * a WORK, it also examines all WORKs that have not ended.
 */
export class WorkLists {
  /** When the clock alone changes a list next, in milliseconds since 1970; Infinity if it does not. */
  changesAt = Infinity;
  readonly #work: Derivation;
  readonly #lists: Readonly<Record<WorkList, StepList>>;
  /** IDEAs and unreviewed RESULTs that resemble earlier ones. */
  readonly #copies: Readonly<Record<'ideas' | 'unreviewed', StepList>> = { ideas: [], unreviewed: [] };
  /** The list that holds each item. */
  readonly #holders = new Map<Listable, StepList>();
  /** The WORKs that have not ended, which the clock may move. */
  readonly #open = new Set<ActiveWork>();
  #now = -Infinity;

  constructor(work: Derivation) {
    this.#work = work;
    this.#lists = Object.fromEntries(
      WORK_LISTS.map((list): [WorkList, StepList] => [list, []]),
    ) as unknown as Record<WorkList, StepList>;
  }

  /**
   * Updates the lists to a time. Yields after each small piece of work, where a caller may pause.
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
   * @param oldest the first step to list; without it all are listed
   * @returns the lists, newest first; IDEAs and unreviewed RESULTs that resemble earlier ones come last
   */
  read(oldest?: Step): Readonly<Record<WorkList, readonly Step[]>> {
    const { ideas, unreviewed } = this.#copies;
    const copies: Partial<Record<WorkList, StepList>> = { ideas, unreviewed };
    return Object.fromEntries(
      WORK_LISTS.map((list) => [
        list,
        [...newestFirst(this.#lists[list], oldest), ...newestFirst(copies[list] ?? [], oldest)],
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
    const list = this.#findList(one);
    const before = this.#holders.get(one);
    if (list === before) return;
    if (before !== undefined) remove(before, one.step);
    if (list === undefined) this.#holders.delete(one);
    else {
      insert(list, one.step);
      this.#holders.set(one, list);
    }
  }

  #findList(one: Listable): StepList | undefined {
    if ('twins' in one) return this.#findIdeaList(one);
    return 'takes' in one ? this.#findWorkList(one) : this.#findResultList(one);
  }

  #findIdeaList(idea: Idea): StepList | undefined {
    if (!isOpen(this.#work, idea, this.#now)) return undefined;
    return (findTwin(idea) === undefined ? this.#lists : this.#copies).ideas;
  }

  #findWorkList(work: ActiveWork): StepList | undefined {
    if (work.endedBy !== null) {
      this.#open.delete(work);
      return undefined;
    }
    this.#open.add(work);
    this.#expect(changesOf(work));
    if (isUnderWay(work, this.#now)) return this.#lists.working;
    return isOverdue(work, this.#now) ? this.#lists.overdue : undefined;
  }

  #findResultList(result: Result): StepList | undefined {
    const list = LIST_OF[judge(result).standing];
    if (list === undefined) return undefined;
    return list === 'unreviewed' && findOriginal(result) !== undefined
      ? this.#copies.unreviewed
      : this.#lists[list];
  }

  #expect(times: readonly number[]): void {
    for (const time of times) if (time > this.#now && time < this.changesAt) this.changesAt = time;
  }
}

/** @returns the times at which the clock moves a WORK or frees its parts */
function changesOf(work: ActiveWork): number[] {
  const { at } = work.due;
  return [at, at + OVERDUE_MS + 1, ...(work.parts.length > 0 ? [keptUntil(work)] : [])];
}

/** @returns the index of the first step of its time, or, with `isBehind`, the index after the last one */
function placeIn(list: StepList, { createdAt }: Step, isBehind: boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const time = list[middle]?.createdAt ?? '';
    if (time < createdAt || (isBehind && time === createdAt)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(list: StepList, step: Step): void {
  list.splice(placeIn(list, step, true), 0, step);
}

function remove(list: StepList, step: Step): void {
  list.splice(list.indexOf(step, placeIn(list, step, false)), 1);
}

/** @returns the steps from `oldest` on, newest first */
function newestFirst(list: StepList, oldest: Step | undefined): Step[] {
  return list.slice(oldest === undefined ? 0 : placeIn(list, oldest, false)).reverse();
}

/**
 * Whether an IDEA is open. One with parts is open while a part is free. One without parts is open if no WORK
 * under way takes it and its thread has no RESULT that is done; if it is a reply, only RESULTs that reply to
 * it or name it count.
 */
function isOpen(work: Derivation, idea: Idea, now: number): boolean {
  if (isEnded(idea)) return false;
  if (idea.parts.length > 0) return freeParts(idea, now).length > 0;
  if (idea.works.some((one) => isUnderWay(one, now))) return false;
  const results = idea.step.parentId === null ? work.resultsIn(idea.step.rootId) : idea.results;
  return !results.some(isDone);
}

/** @returns the names of the parts of an IDEA that no WORK keeps and no RESULT has done */
export function freeParts({ parts }: Idea, now: number): string[] {
  const isFree = ({ works, results }: Idea['parts'][number]): boolean =>
    !works.some((one) => one.endedBy === null && keptUntil(one) > now) && !results.some(isDone);
  return parts.filter(isFree).map(({ name }) => name);
}

/** Whether a RESULT counts as done work: no REVIEW rejects it, and it is no copy. */
function isDone(result: Result): boolean {
  if (result.isDone === undefined) {
    const { standing } = judge(result);
    const isGood = standing === 'confirmed' || standing === 'partly' || standing === 'unreviewed';
    result.isDone = isGood && findOriginal(result) === undefined;
  }
  return result.isDone;
}
