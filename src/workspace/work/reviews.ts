import { readStepFacts, reviewedPosts } from '#message/step.ts';
import type { RecordView } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { ResultReviews } from '#workspace/schemas/post.ts';
import type { DerivedWork } from './derive-work.ts';

/** The newest. */
const MAX_REVIEWS = 5;

/** @returns what later messages say of a RESULT; no reviews for one that is older than the newest steps */
export function readReviews({ results }: DerivedWork, id: string): z.infer<typeof ResultReviews> {
  const { reviews = [], laterResult = null } = results.get(id) ?? {};
  const newest = reviews.slice(-MAX_REVIEWS).reverse();
  return {
    reviews: newest.map(({ id: review, name, outcome, createdAt }) => ({
      id: review,
      name,
      outcome,
      createdAt,
    })),
    laterResult,
  };
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
