import { keepStepFacts, readAllStepFacts } from '#message/step.ts';
import type { PostHead } from '#store/port/pages.ts';
import type { RecordView } from '#store/port/records.ts';
import type { Board } from '#work/board.ts';
import { signatureOfStep } from '#work/message-view.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { toMessage, toPreview } from './message.ts';
import { readThread, type ThreadRequest } from './thread.ts';
import { viewSeenBy } from './known-thread.ts';
import { readMessageViews, type ReadContext } from './views.ts';

/** A page of a thread whose messages have their whole texts, with what their heads say. */
export type ThreadPage = Awaited<ReturnType<typeof readThreadPage>>;

export type MessageInThread = ThreadPage['replies'][number];

/**
 * Reads a post with one page of its direct replies, newest first, or of its whole thread, oldest first.
 * @throws WorkspaceError not_found
 */
export async function readThreadMessages(
  context: ReadContext,
  query: ThreadRequest,
  textLimit: TextLimit = {},
) {
  const { post, replies, referredToBy, viewOf, ...page } = await readViews(context, query, textLimit);
  const show = (item: RecordView<'post'>) => toMessage(context.service, item, viewOf(item).fields);
  return { ...page, post: { ...show(post), referredToBy }, replies: replies.map(show) };
}

/** Reads the same with the beginnings of the texts, and without referrers. @throws WorkspaceError not_found */
export async function readThreadPreviews(context: ReadContext, query: ThreadRequest, textLimit: TextLimit) {
  const previews = { ...query, view: 'preview' } as const;
  const { post, replies, referredToBy: _, viewOf, ...page } = await readViews(context, previews, textLimit);
  const show = (item: RecordView<'post'>) => toPreview(item, viewOf(item).fields);
  return { ...page, post: show(post), replies: replies.map(show) };
}

/** Reads one page of a whole thread. @throws WorkspaceError not_found */
export async function readThreadPage(context: ReadContext, query: ThreadRequest, textLimit: TextLimit) {
  const { post, replies, referredToBy, viewOf, ...page } = await readViews(context, query, textLimit);
  await readAllStepFacts([post, ...replies].map(({ record }) => record));
  const show = (item: RecordView<'post'>) => {
    const { fields, remarks } = viewOf(item);
    return Object.assign(toMessage(context.service, item, fields), { remarks });
  };
  return { ...page, post: { ...show(post), referredToBy }, replies: replies.map(show) };
}

async function readViews(context: ReadContext, query: ThreadRequest, textLimit: TextLimit) {
  const { referredToBy, ...page } = await readThread(context.store.read, query, textLimit);
  const { post, replies } = page;
  const board = await context.work.board();
  const steps = new Map(board.thread(post.record.rootId)?.messages.map(({ step }) => [step.id, step]));
  for (const { record } of [post, ...replies]) {
    const step = steps.get(record.id);
    // To read the texts of a whole page again takes half of its time.
    if (step !== undefined) keepStepFacts(record, step);
  }
  const view = viewSeenBy(board, post.record.rootId, query.viewer);
  const viewOf = await readMessageViews(context, [post, ...replies], view);
  return {
    ...page,
    notice: NOTICE,
    parentId: post.record.parentId,
    referredToBy: referredToBy.map((head) => toReferrer(board, head)),
    viewOf,
  };
}

const toReferrer = (board: Board, { id, prefix, name, createdAt }: PostHead) => ({
  id,
  prefix: prefix as Prefix | null,
  name,
  ...signatureOfStep(board, id),
  createdAt,
});
