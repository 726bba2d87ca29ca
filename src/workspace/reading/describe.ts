import { refersTo } from '#message/references.ts';
import { judgedPost, readAllStepFacts, readStepFacts } from '#message/step.ts';
import type { Related } from '#store/port/pages.ts';
import type { Post, RecordView } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import { readStanding, signatureOf } from '#work/say.ts';
import type { Message } from '#workspace/schemas/post.ts';
import type { WorkReader } from './work-reader.ts';

/** The fields of a message that its record does not have. */
type Described = Partial<z.infer<typeof Message>> & Pick<z.infer<typeof Message>, 'refersTo'>;

type References = Pick<Described, 'refersTo' | 'checks'>;

/**
 * Reads the fields of messages that their records do not have: the signature, the references to known posts,
 * what a REVIEW judges, the standing of a RESULT, and what a RESULT or IDEA resembles.
 * @throws StoreFailure
 */
export async function describePosts(
  {
    store: { read },
    work: workReader,
  }: { readonly store: { readonly read: Reader }; readonly work: WorkReader },
  posts: readonly RecordView<'post'>[],
): Promise<(post: RecordView<'post'>) => Described> {
  const [referencesOf, work] = await Promise.all([readReferences(read, posts), workReader.board()]);
  return ({ record }) => ({
    ...signatureOf(work, record),
    ...referencesOf(record),
    ...readStanding(work, record.id),
  });
}

/**
 * Reads the references of messages to posts that the store has or had, and what a REVIEW judges.
 * @throws StoreFailure
 */
async function readReferences(
  read: Pick<Reader, 'related'>,
  posts: readonly RecordView<'post'>[],
): Promise<(post: Post) => References> {
  const named = await findNamed(posts);
  const isEmpty = named.known.length + named.heads.length === 0;
  return toReferences(isEmpty ? { known: new Set(), heads: new Map() } : await read.related(named));
}

/** @returns the ids that `toReferences` has to look up */
export async function findNamed(
  posts: readonly Pick<RecordView<'post'>, 'record'>[],
): Promise<Record<'known' | 'heads', string[]>> {
  const records = posts.map(({ record }) => record);
  const reviews = records.filter(({ prefix }) => prefix === 'REVIEW');
  await readAllStepFacts(reviews);
  return {
    known: records.flatMap((record) => refersTo(record).filter((id) => id !== record.parentId)),
    heads: reviews.flatMap((review) => readStepFacts(review)?.refersTo ?? []),
  };
}

export function toReferences({ known, heads }: Pick<Related, 'known' | 'heads'>): (post: Post) => References {
  return (post) => ({
    refersTo: refersTo(post).filter((id) => id === post.parentId || known.has(id)),
    ...(post.prefix === 'REVIEW' && { checks: checksOf(post, (id) => heads.get(id)?.prefix === 'RESULT') }),
  });
}

/** @returns the RESULT that a REVIEW judges, if there is one */
function checksOf(review: Post, isResult: (id: string) => boolean): string[] {
  const facts = readStepFacts(review);
  if (facts === null) return [];
  const judged = judgedPost({ ...facts, parentId: review.parentId }, isResult);
  return judged === undefined ? [] : [judged];
}
