import { MAX_PARTS_TAKEN, type Step } from '#message/step.ts';
import { isMember, viewOfOpener } from './trusted.ts';
import {
  PART_STATES,
  type Idea,
  type Listable,
  type Move,
  type Part,
  type PartsOfThread,
  type PartState,
  type Result,
  type Said,
  type Thread,
  type Work,
} from './thread.ts';
import { findOriginal, isEnded, isShown, judge } from './verdicts.ts';
import { isOfMember, OVERDUE_MS, statusOf } from './works.ts';
import { isSameWriter, type Writer } from './writers.ts';

/** For so long a signer holds a part. */
const TERM_MS = 24 * 60 * 60 * 1000;

/** Messages beside a part, of each kind. */
const MAX_BESIDE = 2;

/** A part of an IDEA at a time. It names no message that reports hold. */
export interface PartInBrief {
  readonly name: string;
  readonly state: PartState;
  /** Of a part under way, milliseconds since 1970. */
  readonly until: number | undefined;
  /** When the clock alone changes any of this; Infinity if it does not. */
  readonly changesAt: number;
  /** The newest two RESULTs for it that votes refute. */
  readonly refuted: readonly (Work | Result)[];
  /** The newest two WORKs and RESULTs for it that do not move it. */
  readonly announced: readonly (Work | Result)[];
}

/**
 * @example Ann opens and signs "IDEA: x" with "Parts: a; b". Her "WORK: y" with "Part: a" makes a `underWay`.
 *   "RESULT: z" with "Part: b" by Bob, whom nobody trusts, leaves b `free`: the RESULT is `announced`.
 *   A REVIEW by Ann confirms that RESULT: b is `confirmed`.
 */
export function partsOf(idea: Idea, now: number): PartInBrief[] {
  const moves = movesOf(idea);
  return idea.parts.map((name, index) => {
    const current = moves[index]?.filter(({ until }) => until > now).reverse() ?? [];
    const movers = (wanted: Move['to']): Move[] => current.filter(({ to }) => to === wanted);
    const state = PART_STATES.find((one) => movers(one).length > 0) ?? 'free';
    const holding = movers('underWay').map(({ by }) => by);
    const beside = (kind: Move['to']): (Work | Result)[] => {
      const messages = movers(kind).map(({ by }) => by);
      return messages.filter((one) => isShown(one) && !holding.includes(one)).slice(0, MAX_BESIDE);
    };
    return {
      name,
      state,
      until: state === 'underWay' ? Math.max(...movers(state).map(({ until }) => until)) : undefined,
      changesAt: Math.min(Infinity, ...current.map(({ until }) => until)),
      refuted: beside('refuted'),
      announced: beside('announced'),
    };
  });
}

/** @returns the times at which the clock alone moves a part of an IDEA, in milliseconds since 1970 */
export function changesOfParts(idea: Idea): number[] {
  const moves = movesOf(idea).flat();
  return moves.flatMap(({ to, until }) => (to === 'underWay' ? until : []));
}

/** @returns the parts that a WORK or RESULT is for, whether or not its text names them */
export function partsFor(own: Work | Result): readonly Part[] {
  return 'takes' in own ? own.parts : (partsIn(own.thread).ofResult.get(own) ?? []);
}

const partsIn = (thread: Thread): PartsOfThread => (thread.parts ??= readParts(thread));

/** @returns of each part of an IDEA what messages make of it, oldest first */
const movesOf = (idea: Idea): readonly (readonly Move[])[] => partsIn(idea.thread).moves.get(idea) ?? [];

function readParts(thread: Thread): PartsOfThread {
  const divided = thread.ideas.filter(({ parts }) => parts.length > 0);
  const moves = new Map(divided.map((idea) => [idea, idea.parts.map((): Move[] => [])]));
  if (divided.length === 0) return { moves, ofResult: new Map() };
  const ofResult = partsOfResults(thread);
  const add = ({ idea, index }: Part, move: Move): void => void moves.get(idea)?.[index]?.push(move);
  const announced = new Map<Writer | null, readonly [Part, Move]>();
  for (const message of thread.messages) {
    const move = moveBy(message);
    if (move === undefined) continue;
    const named = ('takes' in move.by ? move.by.parts : ofResult.get(move.by)) ?? [];
    const parts = named.filter(({ idea }) => moves.has(idea));
    const [first] = parts;
    if (move.to !== 'announced') {
      // Where the opener did not sign, one message moves one part.
      for (const part of thread.opener === undefined ? parts.slice(0, 1) : parts) add(part, move);
    } else if (first !== undefined && isShown(move.by)) {
      // Of each signer the newest counts, and comes after those of others.
      announced.delete(message.author.writer);
      announced.set(message.author.writer, [first, move]);
    }
  }
  for (const { part, work, since } of holdsIn(thread))
    add(part, { to: 'underWay', by: work, until: Math.min(statusOf(work).due.at, since + TERM_MS) });
  for (const [part, move] of announced.values()) add(part, move);
  return { moves, ofResult };
}

/** @returns what a message alone makes of its parts; undefined for nothing. WORKs hold parts by `holdsIn`. */
function moveBy(message: Said | Listable): Move | undefined {
  if ('takes' in message) {
    if (!isShown(message) || hasEnded(message)) return undefined;
    const to = message.thread.opener === undefined ? 'underWay' : 'announced';
    return { to, by: message, until: statusOf(message).due.at };
  }
  const to = 'judgements' in message ? stateBy(message) : undefined;
  return to && { to, by: message as Result, until: Infinity };
}

/** Votes count for a RESULT of anybody. Without them its writer must be trusted, unless the opener did not sign. */
function stateBy(result: Result): Move['to'] | undefined {
  const { thread, author } = result;
  const { standing } = judge(result);
  switch (standing) {
    case 'replaced':
    case 'withdrawn':
      return undefined;
    case 'contested':
      return 'toReview';
    case 'unreviewed':
    case 'reviewed':
      if (findOriginal(result) !== undefined) return undefined;
      return thread.opener === undefined || isMember(viewOfOpener(thread).trusted, author)
        ? 'toReview'
        : 'announced';
    default:
      return standing;
  }
}

/** A part that a trusted signer takes, and since when in milliseconds since 1970. */
interface Hold {
  readonly part: Part;
  /** The newest WORK that takes it and has not ended, or else the first one. */
  work: Work;
  since: number;
}

/**
 * The parts that trusted signers hold: each the first two that it takes. A RESULT that stands begins anew: what
 * its WORKs hold then is held from then on, and the rest is forgotten.
 */
function holdsIn(thread: Thread): Hold[] {
  const turns = new Map(
    Array.from(viewOfOpener(thread).trusted, (writer) => [writer, new Map<string, Hold>()] as const),
  );
  for (const message of thread.messages) {
    const turn = message.author.writer && turns.get(message.author.writer);
    if (!turn) continue;
    if ('takes' in message && isShown(message)) {
      for (const part of message.parts.filter(({ idea }) => idea.thread === thread)) {
        const known = turn.get(keyOf(part));
        if (known !== undefined && !hasEnded(message)) known.work = message;
        else if (known === undefined && turn.size < MAX_PARTS_TAKEN)
          turn.set(keyOf(part), { part, work: message, since: message.created });
      }
    } else if ('judgements' in message && !['refuted', 'withdrawn'].includes(judge(message).standing)) {
      const now = Date.parse(message.step.createdAt);
      for (const [key, hold] of turn) {
        if (hasEnded(hold.work) || statusOf(hold.work).due.at <= now) turn.delete(key);
        hold.since = now;
      }
    }
  }
  return [...turns.values()].flatMap((turn) => [...turn.values()]).filter(({ work }) => !hasEnded(work));
}

const hasEnded = (work: Work): boolean => statusOf(work).endedBy !== null;

/**
 * The parts that RESULTs are for. An edition is for those of what it corrects. Another RESULT is for those that
 * it names, or else for two of the WORKs that it ends.
 */
function partsOfResults(thread: Thread): Map<Result, readonly Part[]> {
  const ended = new Map<Step, Part[]>();
  for (const work of thread.works.toReversed()) {
    const { endedBy } = statusOf(work);
    if (endedBy !== null)
      ended.set(endedBy, [...(ended.get(endedBy) ?? []), ...work.parts].slice(0, MAX_PARTS_TAKEN));
  }
  const found = new Map<Result, readonly Part[]>();
  for (const result of thread.results) {
    const { step, author, corrected, parts } = result;
    const earlier = corrected.filter((one) => isSameWriter(one.author, author));
    const choices = [earlier.flatMap((one) => found.get(one) ?? []), parts, ended.get(step) ?? []];
    const chosen = choices.find(({ length }) => length > 0) ?? [];
    const own = chosen.filter(({ idea }) => idea.thread === thread);
    if (own.length > 0) found.set(result, [...new Map(own.map((part) => [keyOf(part), part])).values()]);
  }
  return found;
}

const keyOf = ({ idea, index }: Part): string => `${idea.step.id} ${index}`;

/**
 * @returns the names of the parts of an IDEA that are free, those for which something is announced last; none
 *   once it ended
 */
export function freeParts(idea: Idea, now: number): string[] {
  if (isEnded(idea)) return [];
  const free = partsOf(idea, now).filter(({ state }) => state === 'free' || state === 'refuted');
  const isAnnounced = ({ announced }: PartInBrief): boolean => announced.length > 0;
  return [...free.filter((part) => !isAnnounced(part)), ...free.filter(isAnnounced)].map(({ name }) => name);
}

/** @returns of each part of an IDEA whether a RESULT for it is confirmed, in full or in part */
function closedParts(idea: Idea): boolean[] {
  const moves = movesOf(idea);
  const isClosing = ({ to }: Move): boolean => to === 'confirmed' || to === 'partlyConfirmed';
  return idea.parts.map((_, index) => moves[index]?.some(isClosing) === true);
}

/**
 * Whether an IDEA is open: one with parts until each is closed, one without until its thread has a RESULT that
 * is confirmed, in full or in part. If it is a reply, only RESULTs that reply to it or name it count.
 */
export function isOpen(idea: Idea): boolean {
  if (isEnded(idea)) return false;
  if (idea.parts.length > 0) return closedParts(idea).includes(false);
  const results = idea.step.parentId === null ? idea.thread.results : idea.results;
  return !results.some(
    (result) =>
      result.thread === idea.thread &&
      !result.isGone &&
      ['confirmed', 'partlyConfirmed'].includes(judge(result).standing),
  );
}

/** Whether nothing is left of an IDEA: it has ended, or all of its parts are closed. */
export function isFinished(idea: Idea): boolean {
  return isEnded(idea) || (idea.parts.length > 0 && !closedParts(idea).includes(false));
}

/**
 * Whether nothing is left of the IDEAs that a WORK takes. A trusted WORK that names no part may join their
 * parts, so only the end of the IDEA is its end.
 */
export function isOver({ ideas, parts, author }: Work): boolean {
  const joins = ({ thread }: Idea): boolean =>
    parts.length === 0 && isMember(viewOfOpener(thread).trusted, author);
  return ideas.length > 0 && ideas.every((idea) => (joins(idea) ? isEnded(idea) : isFinished(idea)));
}

/** Whether a WORK is open before its due time, and something is left of what it takes. */
export function isUnderWay(work: Work, now: number): boolean {
  if (work.isGone || !isShown(work)) return false;
  return !hasEnded(work) && statusOf(work).due.at > now && !isOver(work);
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
    : idea.works.some((work) => isUnderWay(work, now));
}
