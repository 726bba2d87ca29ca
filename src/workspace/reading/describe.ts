import { refersTo } from '#message/references.ts';
import type { Post, RecordView } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Message } from '#workspace/schemas/post.ts';
import { readChecks, readStanding, signatureOf } from '#workspace/work/reviews.ts';
import type { WorkReader } from '#workspace/work/work-reader.ts';

/** The fields of a message that its record does not have. */
type Described = Partial<z.infer<typeof Message>> & Pick<z.infer<typeof Message>, 'refersTo'>;

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
  const [referencesOf, work] = await Promise.all([readReferences(read, posts), workReader.derived()]);
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
  read: Reader,
  posts: readonly RecordView<'post'>[],
): Promise<(post: Post) => Pick<Described, 'refersTo' | 'checks'>> {
  const references = new Map(posts.map(({ record }) => [record.id, refersTo(record)]));
  const named = posts.flatMap(({ record: { id, parentId } }) =>
    (references.get(id) ?? []).filter((one) => one !== parentId),
  );
  const [checks, unknown] = await Promise.all([readChecks(read, posts), findUnknown(read, named)]);
  return ({ id }) => ({
    refersTo: (references.get(id) ?? []).filter((one) => !unknown.has(one)),
    ...checks.get(id),
  });
}

/** @returns those of the ids that were never here */
export async function findUnknown(
  read: Pick<Reader, 'known'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const known = await read.known([...new Set(ids)]);
  return new Set(ids.filter((id) => !known.has(id)));
}
