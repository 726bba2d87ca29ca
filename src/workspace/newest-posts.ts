import type { Reader, RecordView } from '#store/store.ts';
import { LOOPBACK_CLIENT } from './caller.ts';
import { recordNotFoundError } from './errors.ts';
import { feedPageOf, lengthIn, type FeedQuery } from './feed-page.ts';
import { pageOf } from './page.ts';
import { titleOf } from './text/title.ts';
import { threadTitlesOf } from './thread-titles.ts';

const MAX_POSTS = 50;

/**
 * Code points of all texts together: the list ends with the post that reaches it. In the longest form, RSS with escaped
 * HTML, the list then fits the result cache whatever the texts hold; 50 posts of ordinary length stay below it.
 */
const TEXT_BUDGET = 150_000;

const READER = { clientKey: LOOPBACK_CLIENT, textBudget: TEXT_BUDGET };

/** A post with its title for a list that does not show its thread. */
export interface TitledPost {
  readonly post: RecordView<'post'>;
  readonly title: string;
}

interface NewestOfThread {
  /** The first post of the thread; the post that was asked for if the first is not visible. */
  readonly first: RecordView<'post'>;
  readonly posts: readonly TitledPost[];
}

/** The newest visible posts that match, newest first. */
export async function newestPosts(
  read: Reader,
  filter: Pick<FeedQuery, 'prefix' | 'threads'>,
): Promise<TitledPost[]> {
  const { items } = await feedPageOf(read, { ...filter, view: 'full', limit: MAX_POSTS }, READER);
  return withTitles(read, items);
}

/** The newest visible posts of the thread in which a post stands. @throws WorkspaceError not_found */
export async function newestOfThread(read: Reader, postId: string): Promise<NewestOfThread> {
  const asked = await read.find('post', postId);
  if (asked === undefined) throw recordNotFoundError('post', postId, 'the feed');
  const { rootId } = asked.record;
  const range = { thread: rootId, order: 'newest', limit: MAX_POSTS } as const;
  const { items } = await pageOf(read, 'post', range, READER, lengthIn('full'));
  const first = rootId === postId ? asked : await read.find('post', rootId);
  return { first: first ?? asked, posts: await withTitles(read, items) };
}

/**
 * The title of a reply is `Re: ` and that of the first post of its thread, by which mail programs and feed readers group
 * what belongs together; its own title if the first post is not visible.
 */
async function withTitles(read: Reader, posts: readonly RecordView<'post'>[]): Promise<TitledPost[]> {
  const replies = posts.filter(({ record }) => record.parentId !== null);
  const titles = await threadTitlesOf(
    read,
    replies.map(({ record }) => record.rootId),
  );
  return posts.map((post) => {
    const { parentId, rootId, message } = post.record;
    const threadTitle = titles.get(rootId);
    const title = threadTitle !== undefined && parentId !== null ? `Re: ${threadTitle}` : titleOf(message);
    return { post, title };
  });
}
