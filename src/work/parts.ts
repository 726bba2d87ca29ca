import { MAX_PARTS_TAKEN, type Step } from '#message/step.ts';
import { isCopy } from './copies.ts';
import { viewOfOpener } from './trusted.ts';
import type { Idea, Part, PartsOfThread, PartState, Result, Standing, Thread, Work } from './thread.ts';
import { isEnded, isShown, judge } from './verdicts.ts';
import { isOfMember, OVERDUE_MS, statusOf } from './works.ts';
import { isSameWriter, type Writer } from './writers.ts';

const HOUR_MS = 60 * 60 * 1000;
/** For so long a WORK or RESULT of a trusted writer holds its parts. */
const TERM_MS = 24 * HOUR_MS;
/** For so long a RESULT of others holds its first part. */
const TERM_OF_OTHERS_MS = HOUR_MS;

/** @returns a state for each part of an IDEA */
export const partsOf = (idea: Idea): readonly PartState[] => partsIn(idea.thread).states.get(idea) ?? [];

/** @returns the parts that a WORK or RESULT is for, whether or not its text names them */
export function partsFor(own: Work | Result): readonly Part[] {
  return 'takes' in own ? own.parts : (partsIn(own.thread).ofResult.get(own) ?? []);
}

const partsIn = (thread: Thread): PartsOfThread => (thread.parts ??= readParts(thread));

/** The parts are held and closed by messages of their own thread only. */
function readParts(thread: Thread): PartsOfThread {
  const ofResult = new Map<Result, readonly Part[]>();
  const states = new Map<Idea, PartState[]>();
  if (thread.ideas.every(({ parts }) => parts.length === 0)) return { states, ofResult };
  const toState = (): PartState => ({ heldUntil: 0, isClosed: false, by: undefined });
  for (const idea of thread.ideas) states.set(idea, idea.parts.map(toState));
  const { trusted } = viewOfOpener(thread);
  /** What each member has held since its last RESULT, which it cannot hold again before the next. */
  const used = new Map<Writer, Set<string>>();
  const statesOf = (parts: readonly Part[]): PartState[] =>
    parts.flatMap(({ idea, index }) => states.get(idea)?.[index] ?? []);
  const hold = (message: Work | Result, parts: readonly Part[], until: number): void => {
    const { step, author } = message;
    const { writer } = author;
    const isTrusted = writer !== null && trusted.has(writer);
    const taken = own(thread, parts);
    const before = writer === null ? undefined : used.get(writer);
    const held = isTrusted ? taken.filter((part) => before?.has(keyOf(part)) !== true) : taken.slice(0, 1);
    if (isTrusted) {
      const all = before ?? new Set<string>();
      for (const part of held) all.add(keyOf(part));
      used.set(writer, all);
    }
    const end = Math.min(until, Date.parse(step.createdAt) + (isTrusted ? TERM_MS : TERM_OF_OTHERS_MS));
    for (const state of statesOf(held)) {
      if (end <= state.heldUntil) continue;
      state.heldUntil = end;
      if (!state.isClosed) state.by = message;
    }
  };
  /** By the message that ended WORKs, the parts that the newest of them had: as many as one message names. */
  const ended = new Map<Step, Part[]>();
  for (const work of thread.works.toReversed()) {
    const { endedBy } = statusOf(work);
    if (endedBy === null || work.parts.length === 0) continue;
    ended.set(endedBy, [...(ended.get(endedBy) ?? []), ...work.parts].slice(0, MAX_PARTS_TAKEN));
  }
  /** A RESULT that names no part has those of the WORKs that it ended, or of the RESULT that it corrects. */
  const named = ({ parts, step, author, corrected }: Result): readonly Part[] => {
    if (parts.length > 0) return parts;
    const edition = corrected.find((one) => isSameWriter(one.author, author) && ofResult.has(one));
    return ended.get(step) ?? (edition && ofResult.get(edition)) ?? [];
  };
  for (const message of thread.messages) {
    if ('takes' in message) {
      const { endedBy, due } = statusOf(message);
      if (isShown(message) && isOfMember(message))
        hold(message, message.parts, endedBy === null ? due.at : 0);
    } else if ('judgements' in message) {
      const parts = own(thread, named(message));
      if (parts.length > 0) ofResult.set(message, parts);
      if (message.author.writer !== null) used.delete(message.author.writer);
      if (isDone(message)) for (const state of statesOf(parts)) closeState(state, message);
      else if (isWaiting(message)) hold(message, parts, Infinity);
    }
  }
  return { states, ofResult };
}

function closeState(state: PartState, by: Result): void {
  // What confirms it in full is shown before what does so in part.
  if (!state.isClosed || judge(by).standing === 'confirmed') state.by = by;
  state.isClosed = true;
}

const own = (thread: Thread, parts: readonly Part[]): Part[] =>
  parts.filter(({ idea }) => idea.thread === thread);

const keyOf = ({ idea, index }: Part): string => `${idea.step.id} ${index}`;

/** Whether a RESULT is confirmed, in full or in part, and is no copy. */
const isDone = (result: Result): boolean => isOriginal(result, ['confirmed', 'partlyConfirmed']);

/** Whether a RESULT may still be confirmed. */
const isWaiting = (result: Result): boolean => isOriginal(result, ['unreviewed', 'reviewed', 'contested']);

function isOriginal(result: Result, standings: readonly Standing[]): boolean {
  return !result.isGone && standings.includes(judge(result).standing) && !isCopy(result);
}

/** A part of an IDEA for readers: the standing of the RESULT for it, or who is at it, and until when. */
export interface PartInBrief {
  readonly name: string;
  readonly standing: Standing | undefined;
  readonly worker: { readonly name: string | null; readonly until: number } | undefined;
}

export function describeParts(idea: Idea, now: number): PartInBrief[] {
  const hasEnded = isEnded(idea);
  const states = partsOf(idea);
  return idea.parts.map((name, index) => {
    const { by, heldUntil = 0 } = states[index] ?? {};
    const isResult = by !== undefined && 'judgements' in by;
    return {
      name,
      standing: isResult ? judge(by).standing : undefined,
      worker:
        !hasEnded && by !== undefined && !isResult && heldUntil > now
          ? { name: by.step.name, until: heldUntil }
          : undefined,
    };
  });
}

/** @returns the names of the parts of an IDEA that nobody holds and no RESULT has closed; none once it ended */
export function freeParts(idea: Idea, now: number): string[] {
  if (isEnded(idea)) return [];
  const states = partsOf(idea);
  return idea.parts.filter((_, index) => {
    const state = states[index];
    return state !== undefined && !state.isClosed && state.heldUntil <= now;
  });
}

/**
 * Whether an IDEA is open: one with parts until each is closed, one without until its thread has a RESULT that
 * is done. If it is a reply, only RESULTs that reply to it or name it count.
 */
export function isOpen(idea: Idea): boolean {
  if (isEnded(idea)) return false;
  if (idea.parts.length > 0) return partsOf(idea).some(({ isClosed }) => !isClosed);
  const results = idea.step.parentId === null ? idea.thread.results : idea.results;
  return !results.some((result) => result.thread === idea.thread && isDone(result));
}

/** Whether nothing is left of an IDEA: it has ended, or all of its parts are closed. */
export function isFinished(idea: Idea): boolean {
  if (isEnded(idea)) return true;
  const states = partsOf(idea);
  return states.length > 0 && states.every(({ isClosed }) => isClosed);
}

/**
 * Whether nothing is left of the IDEAs that a WORK takes. A trusted WORK that names no part may join their
 * parts, so only the end of the IDEA is its end.
 */
export function isOver({ ideas, parts, author: { writer } }: Work): boolean {
  const joins = ({ thread }: Idea): boolean =>
    parts.length === 0 && writer !== null && viewOfOpener(thread).trusted.has(writer);
  return ideas.length > 0 && ideas.every((idea) => (joins(idea) ? isEnded(idea) : isFinished(idea)));
}

/** Whether a WORK is open before its due time, and something is left of what it takes. */
export function isUnderWay(work: Work, now: number): boolean {
  if (work.isGone || !isShown(work)) return false;
  const { endedBy, due } = statusOf(work);
  return endedBy === null && due.at > now && !isOver(work);
}

/** Whether a WORK is open up to 14 days after its due time, and something is left of what it takes. */
export function isOverdue(work: Work, now: number): boolean {
  if (work.isGone || !isShown(work)) return false;
  const { endedBy, due } = statusOf(work);
  return endedBy === null && due.at <= now && due.at >= now - OVERDUE_MS && !isOver(work);
}

/**
 * Whether an IDEA without parts has a RESULT in its thread, whose opener sent no key. Nobody confirms it, so the
 * IDEA stays open, behind others.
 */
export const isAnswered = ({ parts, thread }: Idea): boolean =>
  parts.length === 0 && thread.opener === undefined && thread.results.some(isShown);

/** Whether somebody is at all that is open of an IDEA, which is then offered behind others. */
export function isTaken(idea: Idea, now: number): boolean {
  return idea.parts.length > 0
    ? freeParts(idea, now).length === 0
    : idea.thread.worksOn(idea.step.id).some((work) => isUnderWay(work, now));
}
