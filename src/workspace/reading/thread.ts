import type { Range } from '#store/port/pages.ts';
import type { CountedRecord } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import { headFields, lengthIn, toMessage, toPreview } from './message.ts';
import type { ThreadQuery } from '#workspace/schemas/thread.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { newest, readPage, type Page } from './page.ts';
import { floorToMicrosecond } from '#workspace/text/time.ts';
import { keepStepFacts, parseAllStepFacts } from '#message/step.ts';
import type { MessageView } from '#work/message-view.ts';
import { signatureOfStep } from '#work/standing-view.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { viewpointOf } from './known-thread.ts';
import { readMessageViews, type ReadContext } from './views.ts';

/** The maximum number of messages that name a post, or of copies of its thread, in one result. */
export const MAX_REFERRERS = 20;

/** With `viewer`, standings follow the view of this signer. */
type ThreadRequest = Pick<ThreadQuery, 'postId' | 'limit'> & Partial<ThreadQuery>;

/** A page of a thread with whole texts, and with the remarks in the heads of messages. */
export type ThreadPage = Awaited<ReturnType<typeof readThreadPage>>;

export type MessageInThread = ThreadPage['replies'][number];

/**
 * Reads a post with one page of its direct replies, newest first, or of its whole thread, oldest first.
 * @throws WorkspaceError not_found
 */
export function readThreadMessages(context: ReadContext, query: ThreadRequest, textLimit: TextLimit = {}) {
  return readThread(context, query, textLimit, (item, { fields }) =>
    toMessage(context.service, item, fields),
  );
}

/** Reads the same page with excerpts of the texts, and without referrers. @throws WorkspaceError not_found */
export async function readThreadPreviews(context: ReadContext, query: ThreadRequest, textLimit: TextLimit) {
  const previews = { ...query, view: 'preview' } as const;
  const page = await readThread(context, previews, textLimit, (item, { fields }) => toPreview(item, fields));
  const { referredToBy: _, ...post } = page.post;
  return { ...page, post };
}

/** Reads the same page with the remarks in the heads of messages. @throws WorkspaceError not_found */
export function readThreadPage(context: ReadContext, query: ThreadRequest, textLimit: TextLimit) {
  const show = (item: CountedRecord<'post'>, { fields, remarks }: MessageView) =>
    Object.assign(toMessage(context.service, item, fields), { remarks });
  return readThread(context, query, textLimit, show, true);
}

/**
 * Reads a post with its direct replies, or its whole thread, and what readers see of them. In a whole thread,
 * `post` is the first post, or the requested one if the first is not visible, and `replies` are all others.
 * @param show formats a post
 * @param hasRemarks whether it uses `remarks`, for which each text is parsed: up to 2 ms for a long one
 */
async function readThread<Formatted extends object>(
  context: ReadContext,
  query: ThreadRequest,
  textLimit: TextLimit,
  show: (item: CountedRecord<'post'>, view: MessageView) => Formatted,
  hasRemarks = false,
) {
  const { read } = context.store;
  const { postId, whole = false } = query;
  const requested = await read.find('post', postId);
  if (requested === undefined) throw recordNotFoundError('post', postId, 'the feed');
  const { rootId } = requested.record;
  const first = whole && rootId !== postId ? await read.find('post', rootId) : requested;
  const post = first ?? requested;
  // Read before the replies, so that `readUpTo` covers no post that the replies lack.
  const referrers = await read.referrersOf(post.record.id, MAX_REFERRERS);
  const { items: replies, next } = whole
    ? await readOthers(read, post.record, query, textLimit)
    : await readPage(read, 'post', { ...newest(query), within: postId }, textLimit, lengthIn(query.view));
  const threadCount = (await read.related({ sizes: [rootId] })).sizes.get(rootId) ?? 0;
  const board = await context.boards.board();
  const posts = [post, ...replies];
  const steps = new Map(board.thread(rootId)?.messages.map(({ step }) => [step.id, step]));
  for (const { record } of posts) {
    const step = steps.get(record.id);
    // Parsing all texts of a page again would take half the time of the read.
    if (step !== undefined) keepStepFacts(record, step);
  }
  if (hasRemarks) await parseAllStepFacts(posts.map(({ record }) => record));
  const viewOf = await readMessageViews(context, posts, viewpointOf(board, rootId, query.viewer));
  const isPart = whole && next !== null;
  return {
    notice: NOTICE,
    parentId: post.record.parentId,
    nextBefore: whole ? null : next,
    nextAfter: whole ? next : null,
    /** The time of the newest post of this page: at least `after`, and before all posts of later pages. */
    readUpTo: [...posts.map(({ record }) => record), ...(isPart ? [] : referrers)].reduce(
      (last, { createdAt }) => (createdAt > last ? createdAt : last),
      floorToMicrosecond(query.after) ?? '',
    ),
    /** The number of visible posts of the whole thread. */
    threadCount,
    post: {
      ...show(post, viewOf(post)),
      referredToBy: referrers.map((one) => ({ ...headFields(one), ...signatureOfStep(board, one.id) })),
    },
    replies: replies.map((item) => show(item, viewOf(item))),
  };
}

/**
 * Reads one page of a thread without one of its posts, oldest first. The cursor is rounded down to a
 * microsecond.
 */
function readOthers(
  read: Reader,
  { id, rootId }: { id: string; rootId: string },
  { limit, after, view }: ThreadRequest,
  textLimit: TextLimit,
): Promise<Page<'post'>> {
  const others: Pick<Reader, 'page'> = {
    page: async (kind, range) => {
      const page = await read.page(kind, { ...range, limit: range.limit + 1 });
      return page.filter(({ record }) => record.id !== id);
    },
  };
  const range: Range = { thread: rootId, order: 'oldest', after: floorToMicrosecond(after), limit };
  return readPage(others, 'post', range, textLimit, lengthIn(view));
}
