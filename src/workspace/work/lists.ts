import type { Step } from '#message/step.ts';
import { WORK_LISTS, type WorkList } from '#workspace/schemas/work.ts';
import { DAY_MS } from '#workspace/text/time.ts';
import { isEnded, isUnderWay, keptUntil, type Derivation, type Idea, type Standing } from './derive-work.ts';
import { findOriginal, findTwin, isDone, judge } from './standing.ts';

/** The time for which a WORK is listed as overdue. */
const OVERDUE_MS = 14 * DAY_MS;

/** The list of a RESULT, by its standing. Replaced and withdrawn ones are in none. */
const LIST_OF: Readonly<Partial<Record<Standing, WorkList>>> = {
  unreviewed: 'unreviewed',
  confirmed: 'confirmed',
  partly: 'partly',
  notConfirmed: 'disputed',
  contested: 'disputed',
};

export type WorkLists = Readonly<Record<WorkList, readonly Step[]>>;

/**
 * The lists of work at a time, newest first; IDEAs and unreviewed RESULTs that resemble others come last.
 * @param now milliseconds since 1970
 * @param oldest the first step that is listed; all if it is left out
 */
export function listWork(work: Derivation, now: number, oldest?: Step): WorkLists {
  const lists = Object.fromEntries(WORK_LISTS.map((list) => [list, []])) as unknown as Record<
    WorkList,
    Step[]
  >;
  const copies: Record<'ideas' | 'unreviewed', Step[]> = { ideas: [], unreviewed: [] };
  for (const idea of work.ideas.values())
    if (isOpen(work, idea, now)) (findTwin(idea) === undefined ? lists : copies).ideas.push(idea.step);
  for (const { step, endedBy, due } of work.works.values()) {
    if (endedBy !== null || due.at < now - OVERDUE_MS) continue;
    lists[due.at > now ? 'working' : 'overdue'].push(step);
  }
  for (const result of work.results.values()) {
    const list = LIST_OF[judge(result).standing];
    if (list === 'unreviewed' && findOriginal(result) !== undefined) copies.unreviewed.push(result.step);
    else if (list !== undefined) lists[list].push(result.step);
  }
  for (const list of WORK_LISTS) newestFirst(lists[list], oldest);
  for (const list of ['ideas', 'unreviewed'] as const) lists[list].push(...newestFirst(copies[list], oldest));
  return lists;
}

/** Turns a list round, and ends it with the first step that is listed. */
function newestFirst(steps: Step[], oldest: Step | undefined): Step[] {
  steps.reverse();
  while (oldest !== undefined && (steps.at(-1)?.createdAt ?? oldest.createdAt) < oldest.createdAt)
    steps.pop();
  return steps;
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

/** @returns when the clock alone changes a list next, in milliseconds since 1970; null if it does not */
export function nextChange({ works }: Derivation, now: number): number | null {
  let next = Infinity;
  for (const work of works.values()) {
    if (work.endedBy !== null) continue;
    const { due } = work;
    const times = [due.at > now ? due.at : due.at + OVERDUE_MS + 1];
    if (work.parts.length > 0) times.push(keptUntil(work));
    for (const time of times) if (time > now && time < next) next = time;
  }
  return next === Infinity ? null : next;
}
