import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import { listStanding } from '#work/board.ts';
import type { FeedFilter } from '#workspace/schemas/feed-query.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { readFeedPage } from './feed.ts';
import { readSteps } from './find-work.ts';
import { chooseEntries, readEntries } from './confirmed-feed.ts';
import { lengthIn } from './message.ts';
import { fitPage, readPage } from './page.ts';
import { listPosts, type ListedPost, type ReadContext } from './views.ts';

/** The posts of an RSS, Atom or JSON feed. */
const MAX_NEWEST = 50;

/**
 * Code points of the texts of a feed. It ends with the post that reaches this sum, so that its longest form,
 * RSS with escaped HTML, fits the result cache whatever the texts contain. 50 posts of ordinary length stay
 * below it.
 */
const FEED_TEXTS = 150_000;
const FEED_LIMIT: TextLimit = { textBudget: FEED_TEXTS };

/**
 * Lists the newest visible posts and replies that match, newest first: at most 50, fewer if they are long.
 */
export async function listNewest(
  context: ReadContext,
  { standing, ...filter }: FeedFilter,
): Promise<readonly ListedPost[]> {
  if (standing !== undefined) {
    const work = await context.work.at(context.now());
    const { q, name, prefix = 'RESULT', threads } = filter;
    const steps: Step[] = [];
    await visitInSlices(prefix === 'RESULT' ? listStanding(work, standing) : [], (step) => {
      if ((name ?? step.name) === step.name && !(threads && step.parentId !== null)) steps.push(step);
    });
    return listSteps(context, steps, q);
  }
  const query = { ...filter, view: 'full', limit: MAX_NEWEST } as const;
  const { items } = await readFeedPage(context.store.read, query, FEED_LIMIT);
  return (await listPosts(context, items)).messages;
}

/** Lists the messages that `chooseEntries` chooses, with what the feed says of each. */
export async function listConfirmed(context: ReadContext, filter: Partial<FeedFilter> = {}) {
  const { store, work, now } = context;
  const at = await work.at(now());
  const entries = await chooseEntries(store.read, at, now(), { ...filter, limit: MAX_NEWEST });
  const messages = await listSteps(
    context,
    entries.map(({ step }) => step),
  );
  const said = await readEntries(store.read, at, entries);
  return messages.map((one) => ({ ...one, entry: said.get(one.id) }));
}

async function listSteps(context: ReadContext, steps: readonly Step[], q?: string) {
  const { items } = await readSteps(context.store.read, steps, q, MAX_NEWEST);
  const page = { limit: MAX_NEWEST, textBudget: FEED_TEXTS, measure: lengthIn('full') };
  return (await listPosts(context, fitPage(items, page))).messages;
}

/** Lists the newest visible posts of the thread that a post belongs to. @throws WorkspaceError not_found */
export async function listNewestOfThread(
  context: ReadContext,
  postId: string,
): Promise<{
  /** Id of the first post, or of the requested post if the first is not visible. */
  readonly id: string;
  readonly messages: readonly ListedPost[];
}> {
  const { read } = context.store;
  const asked = await read.find('post', postId);
  if (asked === undefined) throw recordNotFoundError('post', postId, 'the feed');
  const { rootId } = asked.record;
  const range = { thread: rootId, order: 'newest', limit: MAX_NEWEST } as const;
  const { items } = await readPage(read, 'post', range, FEED_LIMIT, lengthIn('full'));
  const first = rootId === postId ? asked : await read.find('post', rootId);
  return { id: first?.record.id ?? postId, messages: (await listPosts(context, items)).messages };
}
