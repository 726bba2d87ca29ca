import { keepStepFacts, readAllStepFacts } from '#message/step.ts';
import type { PostHead } from '#store/port/pages.ts';
import type { RecordView } from '#store/port/records.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { type Remarks, type Signature, signatureOfStep } from '#work/say.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import type { Message } from '#workspace/schemas/post.ts';
import type { Thread } from '#workspace/schemas/thread.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { toMessage, toPreview } from './message.ts';
import { readThread, type ThreadRequest } from './thread.ts';
import { viewSeenBy } from './known-thread.ts';
import { readMessageViews, type ReadContext } from './views.ts';

type ThreadOutput = z.infer<typeof Thread>;

type ReadThread = Omit<ThreadOutput, 'post' | 'replies' | 'state'> & {
  readonly post: NonNullable<ThreadOutput['post']>;
  readonly replies: NonNullable<ThreadOutput['replies']>;
};

/** A thread whose post has its whole text. */
type FullThread = Omit<ReadThread, 'post'> & {
  readonly post: Extract<ReadThread['post'], z.infer<typeof Message>>;
};

type Referrer = FullThread['post']['referredToBy'][number];

/** A message of a thread, with what its head says. */
export type MessageInThread = Extract<ReadThread['replies'][number], z.infer<typeof Message>> &
  Signature & { readonly remarks: Remarks };

/** A page of a thread whose messages have their whole texts. */
export type ThreadPage = Omit<ReadThread, 'post' | 'replies'> & {
  readonly post: MessageInThread & { readonly referredToBy: Referrer[] };
  readonly replies: readonly MessageInThread[];
};

/**
 * Reads a post with one page of its direct replies, newest first, or of its whole thread, oldest first.
 * @throws WorkspaceError not_found
 */
export function readThreadMessages(
  context: ReadContext,
  query: ThreadRequest & { readonly view?: 'full' },
  textLimit?: TextLimit,
): Promise<FullThread>;
export function readThreadMessages(
  context: ReadContext,
  query: ThreadRequest,
  textLimit?: TextLimit,
): Promise<ReadThread>;
export async function readThreadMessages(
  context: ReadContext,
  query: ThreadRequest,
  textLimit: TextLimit = {},
): Promise<ReadThread> {
  const { post, replies, referredToBy, viewOf, ...page } = await readViews(context, query, textLimit);
  const describe = (item: RecordView<'post'>) => viewOf(item).fields;
  if (query.view === 'preview') {
    const show = (item: RecordView<'post'>) => toPreview(item, describe(item));
    return { ...page, post: show(post), replies: replies.map(show) };
  }
  const show = (item: RecordView<'post'>) => toMessage(context.service, item, describe(item));
  return { ...page, post: { ...show(post), referredToBy }, replies: replies.map(show) };
}

/**
 * Reads one page of a whole thread, with what the heads of its messages say. @throws WorkspaceError not_found
 */
export async function readThreadPage(
  context: ReadContext,
  query: ThreadRequest,
  textLimit: TextLimit,
): Promise<ThreadPage> {
  const { post, replies, referredToBy, viewOf, ...page } = await readViews(context, query, textLimit);
  await readAllStepFacts([post, ...replies].map(({ record }) => record));
  const show = (item: RecordView<'post'>): MessageInThread => {
    const view = viewOf(item);
    return Object.assign(toMessage(context.service, item, view.fields), { remarks: view.remarks });
  };
  return { ...page, post: { ...show(post), referredToBy }, replies: replies.map(show) };
}

async function readViews(context: ReadContext, query: ThreadRequest, textLimit: TextLimit) {
  const { post, referredToBy, replies, nextBefore, nextAfter, readUpTo, count } = await readThread(
    context.store.read,
    query,
    textLimit,
  );
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
    notice: NOTICE,
    nextBefore,
    nextAfter,
    readUpTo,
    threadCount: count,
    parentId: post.record.parentId,
    post,
    replies,
    referredToBy: referredToBy.map((head) => toReferrer(board, head)),
    viewOf,
  };
}

function toReferrer(board: Board, { id, prefix, name, createdAt }: PostHead): Referrer {
  return { id, prefix: prefix as Prefix | null, name, ...signatureOfStep(board, id), createdAt };
}
