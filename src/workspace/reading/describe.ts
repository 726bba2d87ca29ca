import { refersTo } from '#message/references.ts';
import type { Post, RecordView } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Message } from '#workspace/schemas/post.ts';
import { readChecks, readStanding, signatureOf } from '#workspace/work/reviews.ts';
import type { WorkReader } from '#workspace/work/work-reader.ts';

/** What a message shows that its record does not say. */
type Described = Partial<z.infer<typeof Message>> & Pick<z.infer<typeof Message>, 'refersTo'>;

/**
 * Reads what messages show besides their records: who may have written each, what it refers to as far as that
 * was ever here, what a REVIEW judges, how a RESULT stands, and what a RESULT or IDEA resembles.
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

/** Reads what messages refer to, as far as that was ever here, and what a REVIEW judges. */
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
