import { findParts, MAX_PARTS_TAKEN, type Step } from '#message/step.ts';
import { viewpointOfOpener } from './trusted.ts';
import type { Idea, Items, Move, Part, PartsOfThread, PartState, Result, Thread, Work } from './model.ts';
import { isEnded, isShown, PART_STATES } from './model.ts';
import { append } from './lists.ts';
import { isCopy, judge } from './verdicts.ts';
import { isTrusted } from './votes.ts';
import { decidedWorksOf, statusOf } from './works.ts';
import { isSameWriter, type Writer } from './writers.ts';

/** How long a part can be under way. */
const TERM_MS = 24 * 60 * 60 * 1000;
/** The standings with which a RESULT closes its part. */
export const DONE: readonly string[] = ['confirmed', 'partlyConfirmed'];

/** A part of an IDEA at a point in time. `refuted` and `announced` contain no message that reports hold. */
export interface PartInBrief {
  readonly name: string;
  readonly state: PartState;
  /** The newest message that causes the state; undefined for a free part. Reports may hold the message. */
  readonly by: Work | Result | undefined;
  /** Until when a part is under way, in milliseconds since 1970. */
  readonly until: number | undefined;
  /** The two newest RESULTs for it that votes refute. */
  readonly refuted: readonly (Work | Result)[];
  /** The two newest WORKs and RESULTs for it that do not change it. */
  readonly announced: readonly (Work | Result)[];
}

/**
 * @example Ann opens and signs "IDEA: x" with "Parts: a; b". Her "WORK: y" with "Part: a" makes a `underWay`.
 *   "RESULT: z" with "Part: b" by Bob, who is not trusted, leaves b `free`: the RESULT is `announced`.
 *   A REVIEW by Ann confirms that RESULT: b is `confirmed`.
 */
export function partsOf(idea: Idea, now: number): PartInBrief[] {
  const moves = movesOf(idea);
  return partNames(idea).map((name, index) => {
    const current = moves[index]?.filter(({ until }) => until > now).reverse() ?? [];
    const movers = (wanted: Move['to']): Move[] => current.filter(({ to }) => to === wanted);
    const state = PART_STATES.find((one) => movers(one).length > 0) ?? 'free';
    const underWay = movers('underWay').map(({ by }) => by);
    const beside = (kind: Move['to']): (Work | Result)[] => {
      const messages = new Set(movers(kind).map(({ by }) => by));
      return [...messages].filter((one) => isShown(one) && !underWay.includes(one)).slice(0, 2);
    };
    return {
      name,
      state,
      by: movers(state)[0]?.by,
      until: state === 'underWay' ? Math.max(...movers(state).map(({ until }) => until)) : undefined,
      refuted: beside('refuted'),
      announced: beside('announced'),
    };
  });
}

/**
 * @returns the times at which the clock alone changes a part of an IDEA, in milliseconds since 1970
 * @example part a is under way until 12:00, and part b is confirmed: `[12:00]`
 */
export const changesOfParts = (idea: Idea): number[] =>
  movesOf(idea).flatMap((moves) => moves.flatMap(({ until }) => (until < Infinity ? until : [])));

/** @returns for each part of an IDEA, the changes that messages cause */
const movesOf = (idea: Idea): readonly (readonly Move[])[] =>
  partsOfThread(idea.thread).moves.get(idea) ?? [];

/**
 * @returns the parts that a RESULT is for, whether or not its text names them
 * @example #2 RESULT "Part: a"; #3 RESULT "Corrects: #2" by the same key: both are for a
 */
export const partsFor = (result: Result): readonly Part[] =>
  partsOfThread(result.thread).ofResult.get(result) ?? [];

const partsOfThread = (thread: Thread): PartsOfThread => (thread.parts ??= computeParts(thread));

function computeParts(thread: Thread): PartsOfThread {
  const divided = thread.ideas.filter(({ parts }) => parts.length > 0);
  const moves = new Map(divided.map((idea) => [idea, idea.parts.map((): Move[] => [])]));
  if (divided.length === 0) return { moves, ofResult: new Map() };
  const ofResult = partsOfResults(thread);
  const add = ({ idea, index }: Part, move: Move): void => void moves.get(idea)?.[index]?.push(move);
  const announced = new Map<Writer | null, readonly [Part, Move]>();
  for (const message of thread.messages) {
    const move = moveBy(message);
    const parts = move && ('takes' in move.by ? move.by.parts : ofResult.get(move.by));
    const [first] = parts ?? [];
    if (move === undefined || parts === undefined || first === undefined) continue;
    if (move.to === 'announced') {
      // Only the newest announcement of each signer counts; it comes after those of other signers.
      announced.delete(message.author.writer);
      announced.set(message.author.writer, [first, move]);
    } else for (const part of thread.opener === undefined ? [first] : parts) add(part, move);
  }
  for (const [part, move] of [...partsUnderWayIn(thread), ...announced.values()]) add(part, move);
  return { moves, ofResult };
}

/** @returns how a message other than a trusted WORK (`partsUnderWayIn`) changes its parts, if at all */
function moveBy(message: Thread['messages'][number]): Move | undefined {
  if ('takes' in message) {
    const { endedBy, dueAt } = statusOf(message);
    if (!isShown(message) || endedBy !== null) return undefined;
    return { to: message.thread.opener === undefined ? 'underWay' : 'announced', by: message, until: dueAt };
  }
  if (!('reviews' in message)) return undefined;
  const { standing } = judge(message);
  const move = (to: Move['to']): Move => ({ to, by: message, until: Infinity });
  if (standing === 'replaced' || standing === 'withdrawn') return undefined;
  if (standing === 'contested') return move('toReview');
  if (standing !== 'unreviewed' && standing !== 'reviewed') return move(standing);
  if (isCopy(message)) return undefined;
  const { thread, author } = message;
  if (thread.opener === undefined || isTrusted(viewpointOfOpener(thread), author)) return move('toReview');
  return isShown(message) ? move('announced') : undefined;
}

/**
 * Finds the parts that trusted signers have under way. Each signer may have two, for 24 hours. Its newest
 * RESULT that is neither refuted nor withdrawn restarts the 24 hours for the WORKs that are open at that
 * time, and allows two new parts.
 */
function partsUnderWayIn(thread: Thread): (readonly [Part, Move])[] {
  const viewpoint = viewpointOfOpener(thread);
  const byWriter = new Map<Writer | null, Thread['messages'][number][]>();
  for (const message of thread.messages)
    if (isTrusted(viewpoint, message.author)) append(byWriter, message.author.writer, message);
  return [...byWriter.values()].flatMap((messages) => {
    const last = messages.findLast(
      (one) => 'reviews' in one && !['refuted', 'withdrawn'].includes(judge(one).standing),
    );
    const renewed = last === undefined ? 0 : Date.parse(last.step.createdAt);
    const since = new Map<string, number>();
    return messages.flatMap((work) => {
      if (!('takes' in work) || !isShown(work)) return [];
      const { endedBy, dueAt } = statusOf(work);
      if (work.created < renewed && (endedBy !== null || dueAt <= renewed)) return [];
      return work.parts.flatMap((part): (readonly [Part, Move])[] => {
        const { idea, index } = part;
        const key = `${idea.step.id} ${index}`;
        if (since.size === MAX_PARTS_TAKEN && !since.has(key)) return [];
        const from = since.get(key) ?? Math.max(work.created, renewed);
        since.set(key, from);
        const until = Math.min(dueAt, from + TERM_MS);
        return endedBy === null ? [[part, { to: 'underWay', by: work, until }]] : [];
      });
    });
  });
}

/**
 * Finds the parts that RESULTs are for. An edition is for the parts of the RESULT that it corrects. Any other
 * RESULT is for the parts that it names, or else for up to two parts of the WORKs that it ends.
 */
function partsOfResults(thread: Thread): Map<Result, readonly Part[]> {
  const { ended } = decidedWorksOf(thread);
  const found = new Map<Result, readonly Part[]>();
  for (const result of thread.results) {
    const earlier = result.corrected.filter((one) => isSameWriter(one.author, result.author));
    const ofEarlier = earlier.flatMap((one) => found.get(one) ?? []);
    const ofWorks = (ended.get(result.step) ?? []).flatMap(({ parts }) => parts).slice(0, MAX_PARTS_TAKEN);
    const choices = [ofEarlier, result.parts, ofWorks];
    found.set(result, [...new Set(choices.find(({ length }) => length > 0))]);
  }
  return found;
}

/**
 * @returns the names of the free parts of an IDEA, announced ones last; none after it has ended
 * @example of the parts a, b and c the first is confirmed, and a stranger announces b: `['c', 'b']`
 */
export function freeParts(idea: Idea, now: number): string[] {
  const free = partsOf(idea, now).filter(({ state }) => state === 'free' || state === 'refuted');
  const rankOf = ({ announced }: PartInBrief): number => Number(announced.length > 0);
  return isEnded(idea) ? [] : free.sort((a, b) => rankOf(a) - rankOf(b)).map(({ name }) => name);
}

/**
 * Whether nothing is left to do on an IDEA: it has ended, or each part has a RESULT that is confirmed, at
 * least in part.
 * @example #1 IDEA "Parts: a; b" is finished once a RESULT for a and another for b are confirmed
 */
export function isFinished(idea: Idea): boolean {
  if (isEnded(idea) || idea.parts.length === 0) return isEnded(idea);
  const moves = movesOf(idea);
  return idea.parts.every((_, index) => moves[index]?.some(({ to }) => DONE.includes(to)) === true);
}

/**
 * @param step without a time before it is posted. A posted one can name only parts that existed at its time
 * @param ids what it is about or replies to; the first IDEA with parts counts
 * @returns the parts that it names
 * @example below #1 IDEA "Parts: wells; mills" a message has "Part: mills": `[{ idea: #1, index: 1 }]`
 */
export function partsNamed(
  items: Pick<Items, 'ideas'>,
  { part = [], createdAt = '~' }: Pick<Step, 'part'> & { readonly createdAt?: string },
  ids: readonly string[],
): Part[] {
  const idea = part.length === 0 ? undefined : ideaWithParts(items, ids, createdAt);
  if (idea === undefined) return [];
  return findParts(partsAt(idea, createdAt), part).map((index) => ({ idea, index }));
}

/**
 * @returns the first of these IDEAs that has parts, or had some at a given time
 * @example #1 IDEA without parts, #2 IDEA "Parts: a", #3 IDEA "Parts: b": of these three #2
 */
export function ideaWithParts(
  { ideas }: Pick<Items, 'ideas'>,
  ids: readonly string[],
  time = '~',
): Idea | undefined {
  return ids.flatMap((id) => ideas.get(id) ?? []).find((idea) => partsAt(idea, time).length > 0);
}

/**
 * @returns the names of the parts of an IDEA as readers see them, without those added by a held message
 * @example Ann adds "Parts: c" to her IDEA with "Parts: a; b", and reports hold that: `['a', 'b', '(held)']`
 */
export function partNames({ parts, additions }: Idea): string[] {
  const isHeld = (index: number): boolean =>
    additions.findLast(({ before }) => before <= index)?.isHeld === true;
  return parts.map((name, index) => (isHeld(index) ? '(held)' : name));
}

/** @returns the parts that an IDEA had at the time of a message */
function partsAt({ parts, additions }: Idea, time: string): readonly string[] {
  const later = additions.find(({ at }) => at > time);
  return later === undefined ? parts : parts.slice(0, later.before);
}
