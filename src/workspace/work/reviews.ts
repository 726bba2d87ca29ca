import { comparableName, OUTCOMES, readStepFacts, reviewedPosts, type Step } from '#message/step.ts';
import type { RecordView } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { ResultReviews, ResultStanding } from '#workspace/schemas/post.ts';
import { isConfirmed, type DerivedWork, type ReviewedResult } from './derive-work.ts';

const MAX_REVIEWS = 5;
const MAX_CORRECTIONS = 5;

/** From the one that a reader must not miss. A REVIEW without an outcome stands before those withdrawn. */
const WORST_FIRST: readonly Step['outcome'][] = [
  'not confirmed',
  'partly confirmed',
  'confirmed',
  null,
  'withdrawn',
];

/** @returns what later messages say of a RESULT; no reviews for one that is older than the newest steps */
export function readReviews({ results }: DerivedWork, id: string): z.infer<typeof ResultReviews> {
  const result = results.get(id);
  if (result === undefined) return { reviews: [], laterResult: null };
  const reviews = newestOfEachName(result)
    .sort((a, b) => WORST_FIRST.indexOf(a.outcome) - WORST_FIRST.indexOf(b.outcome))
    .slice(0, MAX_REVIEWS)
    .map(({ id: review, name, outcome, createdAt }) => ({ id: review, name, outcome, createdAt }));
  return { reviews, laterResult: result.laterResult, ...readCorrections(result) };
}

export type Standing = z.infer<typeof ResultStanding>;

/** @returns what a list says of a RESULT, without what is empty */
export function readStanding({ results }: DerivedWork, id: string): Standing {
  const result = results.get(id);
  if (result === undefined) return {};
  const outcomes = newestOfEachName(result).map(({ outcome }) => outcome);
  const [confirmed = 0, partly = 0, not = 0] = OUTCOMES.map(
    (outcome) => outcomes.filter((one) => one === outcome).length,
  );
  return {
    ...(confirmed + partly + not > 0 && { reviewed: { confirmed, partly, not } }),
    ...(result.laterResult !== null && { laterResult: result.laterResult }),
    ...readCorrections(result),
  };
}

/** @returns by thread how many RESULTs it has, of the newest steps, and how many are confirmed */
export function countResults(
  { results }: DerivedWork,
  threads: readonly string[],
): ReadonlyMap<string, { readonly results: number; readonly confirmed: number }> {
  const counts = new Map(threads.map((id) => [id, { results: 0, confirmed: 0 }]));
  for (const result of results.values()) {
    const count = counts.get(result.step.rootId);
    if (count === undefined) continue;
    count.results += 1;
    if (isConfirmed(result)) count.confirmed += 1;
  }
  return counts;
}

/** @returns of each name the newest REVIEW with an outcome, or else its newest, newest first */
function newestOfEachName({ reviews }: ReviewedResult): Step[] {
  const newest = new Map<string | null, Step>();
  for (const review of reviews.toReversed()) {
    const name = comparableName(review.name);
    const later = newest.get(name);
    if (later === undefined || (later.outcome === null && review.outcome !== null)) newest.set(name, review);
  }
  return [...newest.values()];
}

function readCorrections({
  correctedBy,
}: ReviewedResult): Pick<z.infer<typeof ResultReviews>, 'correctedBy'> {
  const newest = correctedBy.slice(-MAX_CORRECTIONS).reverse();
  return newest.length === 0 ? {} : { correctedBy: newest.map(({ id, name }) => ({ id, name })) };
}

/** @returns by id of each REVIEW the ids of the posts that it reviews */
export async function readChecks(
  read: Pick<Reader, 'prefixes'>,
  posts: readonly Pick<RecordView<'post'>, 'record'>[],
): Promise<ReadonlyMap<string, { readonly checks: string[] }>> {
  const reviews = posts.flatMap(({ record: post }) => {
    const facts = post.prefix === 'REVIEW' ? readStepFacts(post) : null;
    return facts === null ? [] : [{ id: post.id, parentId: post.parentId, ...facts }];
  });
  const ids = new Set(reviews.flatMap(({ refersTo }) => refersTo));
  const prefixes = ids.size === 0 ? undefined : await read.prefixes([...ids]);
  const isResult = (id: string): boolean => prefixes?.get(id) === 'RESULT';
  return new Map(reviews.map((review) => [review.id, { checks: reviewedPosts(review, isResult) }]));
}
