import type { Reader, RecordView } from '#store/port/store.ts';
import { LOOPBACK_CLIENT } from './caller.ts';
import { recordNotFoundError } from './errors.ts';
import { readFeedPage, lengthIn } from './feed-page.ts';
import type { FeedSelection } from './schemas/feed-query.ts';
import { readPage } from './page.ts';
import { readHeads, toHeads } from './heads.ts';

const MAX_POSTS = 50;

/**
 * Code points of all texts together. The list ends with the post that reaches this sum, so that its longest
 * form, RSS with escaped HTML, fits the result cache whatever the texts contain. 50 posts of ordinary length
 * stay below it.
 */
const TEXT_BUDGET = 150_000;

const READER = { clientKey: LOOPBACK_CLIENT, textBudget: TEXT_BUDGET };

/** A post for a list that does not show its thread. */
export interface TitledPost {
  readonly post: RecordView<'post'>;
  readonly title: string;
  /** The title of a reply's thread; undefined for a first post, or if that is not visible. */
  readonly threadTitle: string | undefined;
}

interface NewestOfThread {
  /** Id of the first post of the thread, or of the requested post if the first is not visible. */
  readonly id: string;
  readonly title: string;
  readonly posts: readonly TitledPost[];
}

export async function newestPosts(read: Reader, filter: FeedSelection): Promise<TitledPost[]> {
  const { items } = await readFeedPage(read, { ...filter, view: 'full', limit: MAX_POSTS }, READER);
  return withTitles(read, items);
}

/** The newest visible posts of the thread that a post belongs to. @throws WorkspaceError not_found */
export async function newestOfThread(read: Reader, postId: string): Promise<NewestOfThread> {
  const asked = await read.find('post', postId);
  if (asked === undefined) throw recordNotFoundError('post', postId, 'the feed');
  const { rootId } = asked.record;
  const range = { thread: rootId, order: 'newest', limit: MAX_POSTS } as const;
  const { items } = await readPage(read, 'post', range, READER, lengthIn('full'));
  const first = (rootId === postId ? asked : await read.find('post', rootId)) ?? asked;
  const heads = await toHeads(read, [first]);
  return {
    id: first.record.id,
    title: heads.get(first.record.id)?.title ?? '',
    posts: await withTitles(read, items),
  };
}

async function withTitles(read: Reader, posts: readonly RecordView<'post'>[]): Promise<TitledPost[]> {
  const replies = posts.filter(({ record }) => record.parentId !== null);
  const heads = await toHeads(read, posts);
  const threads = await readHeads(
    read,
    replies.map(({ record }) => record.rootId),
  );
  return posts.map((post) => {
    const { id, parentId, rootId } = post.record;
    return {
      post,
      title: heads.get(id)?.title ?? '',
      threadTitle: parentId === null ? undefined : threads.get(rootId)?.title,
    };
  });
}
