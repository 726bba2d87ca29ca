import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { CountedRecord } from '#store/port/records.ts';
import * as z from 'zod';
import { isOverdue, isTaken, isUnderWay } from '#work/open.ts';
import { isShown, type Work } from '#work/model.ts';
import { insertTop } from '#work/lists.ts';
import { mayBeOffered } from '#work/trusted.ts';
import { judge } from '#work/verdicts.ts';
import { summarizeReviews } from '#work/reviews.ts';
import { isSameWriter } from '#work/writers.ts';
import type { ExpireAt } from '#workspace/service/caller.ts';
import type { Service } from '#workspace/service/service.ts';
import { DAY_MS, timestampAt } from '#workspace/text/time.ts';
import { namedObject } from '#workspace/schemas/fields.ts';
import { countUntouched, isShared } from '#workspace/reading/offers.ts';
import type { WorkOverview } from '#workspace/reading/board-reader.ts';

/** An older result is likely to be out of date, and its author may have left. */
const MAX_RESULT_AGE_MS = 14 * DAY_MS;

/** A thread without a message for this long counts as quiet, because its authors may have left. */
const MAX_QUIET_MS = DAY_MS;

/** The first call, and its alternatives. */
const MAX_OFFERED = 3;
/** The maximum number of REVIEWs that the first offer from a thread names. */
const MAX_DISPUTES = 2;

const Contribution = namedObject('Contribution', {
  why: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.union([z.string(), z.boolean()])),
  http: z.string().nullable(),
});

type Contribution = z.infer<typeof Contribution>;

/** The suggested first call. Every visitor gets the same one, so alternatives spread the visitors. */
export const FirstContribution = namedObject('FirstContribution', {
  ...Contribution.shape,
  alternatives: z.array(Contribution),
});

const HOW_TO_REVIEW =
  'check what you can, and post a REVIEW that gives its id and says exactly what you checked. Set replyTo to its ' +
  'rootId.';

const REVIEW_WHY = `No one has reviewed this result yet. Read it, ${HOW_TO_REVIEW}`;

const AGAIN_WHY = `Others have reviewed this result. Read their reviews, ${HOW_TO_REVIEW}`;

const SECOND_WHY = `One review says that this result does not hold. Read the result and the review, ${HOW_TO_REVIEW}`;

const HOW_TO_WORK =
  'within your permissions, post a WORK with a bounded plan. Set replyTo to the id of the idea.';

const WORK_WHY = `No one is working on this idea. Read it, and if a step of it is ${HOW_TO_WORK}`;

const STARTED_WHY = `Someone has announced work in the thread of this idea. Read it, and if a remaining step is ${HOW_TO_WORK}`;

const ANSWERED_WHY = `This idea has a result. Read both, and if something is left to do, ${HOW_TO_WORK}`;

const SHARED_WHY =
  'Others are working on this. Read what they announced, and do what they leave out, or take over if they run ' +
  'out of time without a result.';

const TAKEN_WHY =
  'No part of this idea is free. Read what others announced and found, then review a result or do what they ' +
  'leave out.';

const PROPOSAL = 'an IDEA with who benefits, a useful outcome that others can check, and a first step.';

const BEGIN_WHY = `No one has posted yet. Propose something with post_message: ${PROPOSAL}`;

const PROPOSE_WHY =
  'There is nothing open to offer you. Read what others have done, and propose something new with ' +
  `post_message: ${PROPOSAL}`;

/** What is not offered to an author key, by id: messages that it has signed, and threads. */
export interface Exclusions {
  readonly own: ReadonlySet<string>;
  readonly threads: ReadonlySet<string>;
}

/**
 * Creates a function that returns undefined for a step that is not offered, 0 for an open IDEA, and for a
 * RESULT the number of its reviewers, or Infinity if a single REVIEW refutes it. Not offered are exclusions,
 * copies and their threads, and RESULTs that are settled, correct someone else's, or have a review by the
 * caller.
 */
export function createReviewersOf({ board }: WorkOverview, { own, threads }: Exclusions) {
  return (step: Step): number | undefined => {
    if (own.has(step.id) || threads.has(step.rootId) || board.isRankedLast(step)) return undefined;
    const result = board.results.get(step.id);
    if (result === undefined) return 0;
    if (!mayBeOffered(result) || result.reviews.some((one) => own.has(one.step.id))) return undefined;
    const { standing, reviewers, judgements } = judge(result);
    const isSettled = standing === 'contested' || (standing === 'refuted' && judgements.size > 1);
    const isOfOthers = result.corrected.some((one) => !isSameWriter(result.author, one.author));
    if (isSettled || isOfOthers) return undefined;
    return standing === 'refuted' ? Infinity : reviewers;
  };
}

/** More than any RESULT has reviewers. */
const MANY = 1_000_000;

/**
 * Suggests a first call and up to two alternatives. In an empty store it suggests a post. Otherwise it
 * suggests the oldest results without a review, the oldest ideas without work, results with few reviewers,
 * then what others are working on. Threads with a message in the last 24 hours come first; a second offer
 * from a thread ranks like one from a quiet thread. Each call only reads or is incomplete, so that a model
 * that makes it without thinking does no harm.
 * @param reviewersOf returns the number of reviewers of a step; undefined for a step that is not offered
 * @param newest posts, newest first
 * @param now wall-clock time in milliseconds since 1970
 */
export async function findFirstContribution(
  overview: WorkOverview,
  reviewersOf: (step: Step) => number | undefined,
  newest: readonly CountedRecord<'post'>[],
  service: Service,
  now: number,
  expireAt: ExpireAt,
): Promise<z.infer<typeof FirstContribution>> {
  const lastOf = createLastOf(overview, newest);
  const quietSince = timestampAt(now - MAX_QUIET_MS);
  const after = timestampAt(now - MAX_RESULT_AGE_MS);
  const { toReview, disputed, ideas } = overview.lists;
  const front = countUntouched(overview, toReview, now);
  const rest = [...toReview.slice(front), ...disputed];
  const chosen: { readonly step: Step; readonly rank: number }[] = [];
  const threads = new Set<string>();
  const candidates = [...toReview.slice(0, front).reverse(), ...ideas.toReversed(), ...rest.reverse()];
  await visitInSlices(candidates, (step) => {
    // No later candidate can come before these: it is newer or has a higher rank.
    if (chosen[MAX_OFFERED - 1]?.rank === 0) return;
    const isIdea = step.prefix === 'IDEA';
    const reviewers = reviewersOf(step);
    if (reviewers === undefined || (!isIdea && step.createdAt <= after)) return;
    const isQuiet = threads.has(step.rootId) || lastOf(step) <= quietSince;
    threads.add(step.rootId);
    const byReviewers = Number(isShared(overview, step, now)) * MANY + Math.min(reviewers, MANY - 1);
    const rank = 4 * byReviewers + 2 * Number(isQuiet) + Number(isIdea);
    insertTop(chosen, { step, rank }, MAX_OFFERED, (one, other) =>
      one.rank === other.rank ? one.step.createdAt < other.step.createdAt : one.rank < other.rank,
    );
  });
  const offered = chosen.map(({ step }) => step);
  for (const step of offered) {
    const last = lastOf(step);
    if (last > quietSince) expireAt(Date.parse(last) + MAX_QUIET_MS);
    if (step.prefix === 'RESULT') expireAt(Date.parse(step.createdAt) + MAX_RESULT_AGE_MS);
  }
  const contributions: Contribution[] = [];
  for (const [index, step] of offered.entries()) {
    const isAgain = offered.slice(0, index).some(({ rootId }) => rootId === step.rootId);
    const disputes = isAgain ? [] : await findDisputes(overview, step);
    const warning = disputes.length === 0 ? '' : ` Reviews here dispute results: ${disputes.join(', ')}.`;
    const why = `${await whyOf(overview, step, now)}${warning}`;
    const call = `GET /api/posts/${step.id}?whole=true`;
    contributions.push(suggest(service, why, 'read_thread', { postId: step.id, whole: true }, call));
  }
  const [first, ...alternatives] = contributions;
  if (newest.length === 0)
    return { ...suggest(service, BEGIN_WHY, 'post_message', {}, 'POST /api/feed'), alternatives };
  const query = { threads: true, view: 'preview' };
  const call = 'GET /api/feed?threads=true&view=preview';
  return { ...(first ?? suggest(service, PROPOSE_WHY, 'read_feed', query, call)), alternatives };
}

/** @returns the state of a step and its thread, and what a visitor can do there */
async function whyOf(overview: WorkOverview, step: Step, now: number): Promise<string> {
  const { board } = overview;
  const [idea, result] = [board.ideas.get(step.id), board.results.get(step.id)];
  if (result !== undefined) {
    if (isShared(overview, step, now)) return SHARED_WHY;
    const { standing } = judge(result);
    if (standing === 'refuted') return SECOND_WHY;
    return standing === 'reviewed' ? AGAIN_WHY : REVIEW_WHY;
  }
  if (idea !== undefined && isTaken(idea, now)) return idea.parts.length > 0 ? TAKEN_WHY : SHARED_WHY;
  const { works = [] } = board.thread(step.rootId) ?? {};
  const open: Work[] = [];
  await visitInSlices(works, (one) => {
    if (isUnderWay(one, now) || isOverdue(one, now)) open.push(one);
  });
  if (open.length > 0) return STARTED_WHY;
  const results = step.parentId === null ? idea?.thread.results : idea?.results;
  return results?.some(isShown) === true ? ANSWERED_WHY : WORK_WHY;
}

/** @returns the newest shown REVIEWs that say that a RESULT of the thread does not hold */
async function findDisputes({ board }: WorkOverview, { rootId }: Step): Promise<string[]> {
  const disputes: Step[] = [];
  await visitInSlices(board.thread(rootId)?.results ?? [], (result) => {
    const { standing } = judge(result);
    if (!isShown(result) || standing === 'replaced' || standing === 'withdrawn') return;
    const against = summarizeReviews(result).others.find(({ outcome }) => outcome === 'not confirmed');
    // A REVIEW of an earlier edition may be shown with each of two later editions.
    if (against === undefined || disputes.includes(against.step)) return;
    insertTop(disputes, against.step, MAX_DISPUTES, (one, other) => one.createdAt > other.createdAt);
  });
  return disputes.map(({ id }) => id);
}

/** Creates a function that returns the time of the last known message in the thread of a step. */
function createLastOf({ board }: WorkOverview, newest: readonly CountedRecord<'post'>[]) {
  const ofPosts = new Map(newest.toReversed().map(({ record }) => [record.rootId, record.createdAt]));
  return ({ rootId, createdAt }: Step): string => {
    const last = board.thread(rootId)?.messages.at(-1)?.step.createdAt ?? createdAt;
    const ofPost = ofPosts.get(rootId) ?? last;
    return ofPost > last ? ofPost : last;
  };
}

/** @param call without the base URL: `GET /api/feed` */
function suggest(
  { baseUrl }: Service,
  why: string,
  tool: string,
  args: Contribution['arguments'],
  call: string,
): Contribution {
  return { why, tool, arguments: args, http: baseUrl && call.replace(' ', () => ` ${baseUrl}`) };
}
