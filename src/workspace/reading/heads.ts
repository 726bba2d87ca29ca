import { refersTo } from '#message/references.ts';
import { readAllStepFacts, readStepFacts } from '#message/step.ts';
import type { Post, RecordView } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { toTitle } from '#workspace/text/title.ts';

/** What a reference shows of a post. */
export interface Head {
  readonly id: string;
  readonly title: string;
  readonly prefix: Prefix | null;
  readonly name: string | null;
  readonly createdAt: string;
  readonly parentId: string | null;
  readonly rootId: string;
}

/** Reads the heads of posts. @returns by id, without posts that are not visible */
export async function readHeads(
  read: Pick<Reader, 'posts'>,
  ids: Iterable<string>,
): Promise<Map<string, Head>> {
  const wanted = [...new Set(ids)];
  return wanted.length === 0 ? new Map() : toHeads(read, await read.posts(wanted));
}

/**
 * The heads of posts by id. A REVIEW is titled after what it checks, if that is visible.
 * @param known posts that need not be read again, by id; undefined for those that are not visible
 */
export async function toHeads(
  read: Pick<Reader, 'posts'>,
  posts: readonly Pick<RecordView<'post'>, 'record'>[],
  known: ReadonlyMap<string, Pick<RecordView<'post'>, 'record'> | undefined> = new Map(),
): Promise<Map<string, Head>> {
  const checkedIds = await readChecked(posts);
  const unknownIds = checkedIds.filter((id) => !known.has(id));
  const checked = [
    ...checkedIds.flatMap((id) => known.get(id) ?? []),
    ...(unknownIds.length === 0 ? [] : await read.posts(unknownIds)),
  ];
  const titles = new Map(checked.map(({ record }) => [record.id, titleOf(record)]));
  return new Map(
    posts.map(({ record }) => {
      const { id, message, prefix, name = null, createdAt, parentId, rootId } = record;
      const checkedTitle = titles.get(findChecked(record) ?? '');
      const title = checkedTitle === undefined ? titleOf(record) : toTitle(message, checkedTitle);
      return [id, { id, title, prefix: prefix as Prefix | null, name, createdAt, parentId, rootId }];
    }),
  );
}

/** @returns the ids after which REVIEWs among these posts are titled */
export async function readChecked(posts: readonly Pick<RecordView<'post'>, 'record'>[]): Promise<string[]> {
  const reviews = posts.flatMap(({ record }) => (record.prefix === 'REVIEW' ? [record] : []));
  await readAllStepFacts(reviews);
  return [...new Set(reviews.flatMap((review) => findChecked(review) ?? []))];
}

/** A store returns the newest posts, which receipts name, as the same objects. */
const knownTitles = new WeakMap<Post, string>();

function titleOf(post: Post): string {
  const title = knownTitles.get(post) ?? toTitle(post.message);
  knownTitles.set(post, title);
  return title;
}

/** The post that a REVIEW says it checks, or else the one that it replies to. */
function findChecked(post: Post): string | undefined {
  if (post.prefix !== 'REVIEW') return undefined;
  return readStepFacts(post)?.checked?.[0] ?? refersTo(post)[0];
}
