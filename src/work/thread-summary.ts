import type { Step } from '#message/step.ts';
import type { Board } from './board.ts';
import { worksByTimeOf } from './open.ts';
import { changesOfParts, DONE, partsFor, partsOf, type PartInBrief } from './parts.ts';
import { LinkedThread } from './linked-thread.ts';
import type { Idea, PartState, Result, Standing, Thread, Viewpoint, Work } from './model.ts';
import { isShown, MAX_NAMED } from './model.ts';
import { append } from './lists.ts';
import { viewpointOfOpener } from './trusted.ts';
import { isCopy, judge } from './verdicts.ts';
import { decidedSince, isTrusted, votesOf } from './votes.ts';
import { chooseWorks, statusOf, trustedFirst } from './works.ts';
import { isSameWriter, type Writer } from './writers.ts';

export type ResultState = Standing | 'nearCopy';

/** What is known in a thread, as one signer sees it. Pages, feeds and JSON format this value. */
export interface ThreadSummary {
  readonly viewpoint: Viewpoint;
  /** The number of shown RESULTs by standing, of near-copies separately, and of WORKs under way. */
  readonly counts: Readonly<Partial<Record<ResultState | 'underWay', number>>>;
  /** IDEAs with parts: the one that begins the thread, and those by trusted signers, oldest first. */
  readonly ideas: readonly { readonly idea: Idea; readonly parts: readonly PartSummary[] }[];
  /** RESULTs that are confirmed, at least in part: in the order of the parts, then newest first. */
  readonly results: readonly Result[];
  /** At most eight, one by each writer. */
  readonly underWay: readonly Work[];
  /** RESULTs to review: those for parts, by trusted signers, one by each signer, then the others. */
  readonly toReview: readonly Result[];
  /** The newest first. */
  readonly setAside: readonly SetAside[];
  /** Begins with the opener, or with the signer whose view this is. */
  readonly trusted: readonly SignerSummary[];
  readonly distrusted: readonly SignerSummary[];
  /** When the clock alone changes it next, in milliseconds since 1970; Infinity for never. */
  readonly changesAt: number;
}

/** A part, and the message that causes its state, unless reports hold that message. */
interface PartSummary extends Omit<PartInBrief, 'by'> {
  readonly result: Result | undefined;
  readonly work: Work | undefined;
}

/** A RESULT that needs no further attention, and why. */
interface SetAside {
  readonly result: Result;
  readonly why: 'replaced' | 'withdrawn' | 'refuted' | 'nearCopy';
}

/** A signer, and why its judgement does or does not count. */
export interface SignerSummary {
  readonly writer: Writer;
  /** It opened the thread, is the viewer, has a confirmed RESULT, or a line about trust names it. */
  readonly why: 'opened' | 'viewer' | 'confirmed' | 'named';
  /** The REVIEW that confirms its RESULT, or the message with the line. */
  readonly by: Step | undefined;
}

/**
 * @example #1 IDEA "Parts: a; b"; #2 RESULT "Part: a"; #3 "confirmed" of #2 by the opener; #4 RESULT:
 *   `{ ideas: [{ parts: [{ name: 'a', state: 'confirmed', result: #2 }, b] }], toReview: [#4],
 *   trusted: [opener, { writer: <of #2>, why: 'confirmed', by: #3 }], … }`
 * @param now milliseconds since 1970
 * @param viewpoint of the opener by default
 */
export function summarizeThread(
  board: Board,
  rootId: string,
  now: number,
  viewpoint?: Viewpoint,
): ThreadSummary {
  const thread = board.thread(rootId) ?? new LinkedThread(rootId, board);
  const seenFrom = viewpoint ?? viewpointOfOpener(thread);
  const results = thread.results.filter(isShown).reverse();
  const ideas = ideasOf(thread, results, seenFrom, now);
  const ofParts = ideas.flatMap(({ parts }) => parts.flatMap(({ result }) => result ?? []));
  const isOneOf = (states: readonly string[], one: Result): boolean =>
    states.includes(stateOf(one, seenFrom));
  const works = worksByTimeOf(thread, now).underWay;
  const underWay = viewpoint === undefined ? works : trustedFirst(works.toSorted(newestFirst), viewpoint);
  return {
    viewpoint: seenFrom,
    counts: { ...countResults(thread, seenFrom), ...(underWay.length > 0 && { underWay: underWay.length }) },
    ideas,
    results: [...new Set([...ofParts, ...results])].filter((one) => isOneOf(DONE, one)),
    underWay: chooseWorks(underWay, MAX_NAMED),
    toReview: [...new Set([...ofParts.filter((one) => isOneOf(WAITING, one)), ...inTurn(results, seenFrom)])],
    setAside: results.flatMap((result) => {
      const why = SET_ASIDE.find((one) => one === stateOf(result, seenFrom));
      return why === undefined ? [] : { result, why };
    }),
    ...signersIn(thread, seenFrom),
    changesAt: [
      ...thread.ideas.flatMap(changesOfParts),
      ...underWay.map((work) => statusOf(work).dueAt),
    ].reduce((next, time) => (time > now && time < next ? time : next), Infinity),
  };
}

const newestFirst = (a: Work, b: Work): number => (a.step.createdAt < b.step.createdAt ? 1 : -1);

const WAITING: readonly string[] = ['unreviewed', 'reviewed', 'contested'];
const SET_ASIDE: readonly SetAside['why'][] = ['replaced', 'withdrawn', 'refuted', 'nearCopy'];

/**
 * The standing of a RESULT; `nearCopy` for a near-copy that no vote decides.
 * @param viewpoint of the opener by default
 * @example #3 RESULT, #4 RESULT with the lines of #3: `unreviewed` and `nearCopy`
 */
export function stateOf(result: Result, viewpoint?: Viewpoint): ResultState {
  const { standing } = judge(result, viewpoint);
  return (standing === 'unreviewed' || standing === 'reviewed') && isCopy(result) ? 'nearCopy' : standing;
}

function countResults(thread: Thread, viewpoint: Viewpoint): Omit<ThreadSummary['counts'], 'underWay'> {
  const counts: Partial<Record<ResultState, number>> = {};
  for (const result of thread.results.filter(isShown)) {
    const state = stateOf(result, viewpoint);
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

/** @param results that are shown, the newest first */
function ideasOf(
  thread: Thread,
  results: readonly Result[],
  viewpoint: Viewpoint,
  now: number,
): ThreadSummary['ideas'] {
  const mayDivide = ({ step, author }: Idea): boolean =>
    step.id === thread.rootId || thread.opener === undefined || isTrusted(viewpointOfOpener(thread), author);
  const divided = thread.ideas.filter((idea) => idea.parts.length > 0 && mayDivide(idea)).slice(0, MAX_NAMED);
  const ofPart = new Map<string, Result[]>();
  for (const result of divided.length === 0 ? [] : results)
    for (const { idea, index } of partsFor(result)) append(ofPart, `${idea.step.id} ${index}`, result);
  return divided.map((idea) => ({
    idea,
    parts: partsOf(idea, now).map(({ by, ...part }, index) => ({
      ...part,
      ...standsFor(part.state, by, ofPart.get(`${idea.step.id} ${index}`) ?? [], viewpoint),
    })),
  }));
}

/**
 * Chooses what is shown for a part: the newest RESULT for it that is confirmed in full, or else in part, or
 * else the message that causes its state. The state of a part follows only from the opener's viewpoint, so it
 * may differ from the standings in another one.
 */
function standsFor(
  state: PartState,
  by: PartInBrief['by'],
  results: readonly Result[],
  viewpoint: Viewpoint,
): Pick<PartSummary, 'state' | 'result' | 'work'> {
  const [confirmed] = DONE.flatMap(
    (one) => results.find((result) => judge(result, viewpoint).standing === one) ?? [],
  );
  if (confirmed !== undefined)
    return { state: judge(confirmed, viewpoint).standing as PartState, result: confirmed, work: undefined };
  // A held message still counts, but is not shown.
  if (by === undefined || !isShown(by)) return { state, result: undefined, work: undefined };
  if ('takes' in by) return { state, result: undefined, work: by };
  const here = stateOf(by, viewpoint);
  return {
    state: DONE.includes(state) ? (here === 'refuted' ? here : 'toReview') : state,
    result: WAITING.includes(here) ? by : undefined,
    work: undefined,
  };
}

/** @returns the RESULTs to review: all by trusted signers, the newest by each other signer, then the rest */
function inTurn(results: readonly Result[], viewpoint: Viewpoint): Result[] {
  const writers = new Set<Writer>();
  const turns = results
    .filter((result) => WAITING.includes(stateOf(result, viewpoint)))
    .map((result) => {
      const { writer } = result.author;
      const isFirst = writer !== null && !writers.has(writer);
      if (writer !== null) writers.add(writer);
      return { result, turn: isTrusted(viewpoint, result.author) ? 0 : isFirst ? 1 : 2 };
    });
  return turns.sort((a, b) => a.turn - b.turn).map(({ result }) => result);
}

/** @returns the trusted and the distrusted signers of a viewpoint, each with the message that causes this */
function signersIn(
  thread: Thread,
  { viewer, trusted, distrusted }: Viewpoint,
): Pick<ThreadSummary, 'trusted' | 'distrusted'> {
  // Times of messages are unique.
  const stepAt = new Map<string, Step>();
  const lastLines = new Map<string, Step>();
  for (const { step, author } of [...thread.messages, ...thread.rulings]) {
    if (author.writer !== viewer) continue;
    stepAt.set(step.createdAt, step);
    for (const { signer, isTrusted } of step.trust ?? []) if (!isTrusted) lastLines.set(signer, step);
  }
  const toSummary = (writer: Writer, by: Step | undefined): SignerSummary => {
    const isNamed = by?.trust?.some(({ signer }) => signer === writer.signer) === true;
    return { writer, why: isNamed ? 'named' : 'confirmed', by: by?.isHeld ? undefined : by };
  };
  return {
    trusted: Array.from(trusted, ([writer, since]): SignerSummary => {
      if (writer !== viewer) return toSummary(writer, stepAt.get(since));
      return { writer, why: writer.signer === thread.opener ? 'opened' : 'viewer', by: undefined };
    }),
    distrusted: Array.from(distrusted, (writer) => toSummary(writer, lastLines.get(writer.signer))).reverse(),
  };
}

/**
 * @returns the time of the newest message that counts for the standing of a RESULT
 * @example #2 RESULT; #3 "confirmed" by the opener; #4 "not confirmed" by a stranger
 *   `sinceOf(result)` is the time of #3
 */
export function sinceOf(result: Result, viewpoint: Viewpoint = viewpointOfOpener(result.thread)): string {
  const { standing, byVotes, judgements, replacedBy, withdrawal } = judge(result, viewpoint);
  const { createdAt } = result.step;
  if (standing === 'replaced' && replacedBy !== undefined) {
    const votes = votesOf(judge(replacedBy, viewpoint).judgements, replacedBy, viewpoint);
    // An edition replaces a confirmed RESULT once it is confirmed as well.
    const confirmedAt = DONE.includes(byVotes ?? '') ? decidedSince(votes) : undefined;
    return confirmedAt ?? replacedBy.step.createdAt;
  }
  if (standing === 'withdrawn') return withdrawal?.createdAt ?? createdAt;
  if (standing === 'reviewed') {
    const first = result.reviews.find((one) => isShown(one) && !isSameWriter(one.author, result.author));
    return first?.step.createdAt ?? createdAt;
  }
  return decidedSince(votesOf(judgements, result, viewpoint)) ?? createdAt;
}
