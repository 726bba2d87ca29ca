import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import { listStanding } from '#work/board.ts';
import { listedByDay } from '#work/listed.ts';
import type { FeedFilter } from '#workspace/schemas/feed-query.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { readFeedPage } from './feed.ts';
import { readSteps } from './find-work.ts';
import { findDelistings } from './findings.ts';
import { readHeads } from './heads.ts';
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
    const listed =
      standing === 'confirmed'
        ? listedByDay(work.lists.confirmed, work.board).map(({ step }) => step)
        : listStanding(work, standing);
    await visitInSlices(prefix === 'RESULT' ? listed : [], (step) => {
      if ((name ?? step.name) === step.name && !(threads && step.parentId !== null)) steps.push(step);
    });
    return listSteps(context, steps, q);
  }
  const query = { ...filter, view: 'full', limit: MAX_NEWEST } as const;
  const { items } = await readFeedPage(context.store.read, query, FEED_LIMIT);
  return (await listPosts(context, items)).messages;
}

/** Lists the confirmed RESULTs that feeds have, one a thread a day. */
export async function listFindings(context: ReadContext, limit: number): Promise<readonly ListedPost[]> {
  const work = await context.work.at(context.now());
  const listed = listedByDay(work.lists.confirmed, work.board).slice(0, limit);
  return listSteps(
    context,
    listed.map(({ step }) => step),
  );
}

/** The same, and what took RESULTs off the lists within seven days; `delisted`: the title of the RESULT. */
export async function listChangesOfFindings(context: ReadContext) {
  const { store, work, now } = context;
  const at = await work.at(now());
  const entries = [...(await findDelistings(at, now())), ...listedByDay(at.lists.confirmed, at.board)]
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_NEWEST);
  const off = entries.flatMap(({ step, delisted }) =>
    delisted === undefined ? [] : [[step.id, delisted.id] as const],
  );
  const heads = await readHeads(
    store.read,
    off.map(([, id]) => id),
  );
  const messages = await listSteps(
    context,
    entries.map(({ step }) => step),
  );
  const titles = new Map(off.map(([id, result]) => [id, heads.get(result)?.title ?? '']));
  return messages.map((one) => ({ ...one, delisted: titles.get(one.id) }));
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
