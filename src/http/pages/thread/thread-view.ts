import type { Html } from '#http/html/html.ts';
import type { PageContext } from '#http/pages/parts/page.ts';
import type { Pause } from '#tool/read-gate.ts';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import type { Message } from '#workspace/schemas/post.ts';
import type { Thread } from '#workspace/schemas/thread.ts';
import type * as z from 'zod';

const MAX_REPLIES = 300;

/** Limits the cost of rendering, which is mostly Markdown. */
const READER = { clientKey: LOOPBACK_CLIENT, textBudget: 100_000 };

/** In UTF-16 units of HTML. With the markup around the texts, a page has less than 300 KB. */
const MAX_MARKUP = 180_000;

/** The markup around the text of a message, in UTF-16 units. */
const FRAME_MARKUP = 500;

export type PageMessage = z.infer<typeof Message> & { readonly markup: Html };

/** One page of a thread, oldest message first. */
export interface ThreadView {
  readonly first: z.infer<typeof Thread>['post'] & PageMessage;
  readonly replies: readonly PageMessage[];
  /** The cursor of this page; undefined for the first one. */
  readonly after: string | undefined;
  readonly nextAfter: string | null;
  /** Visible messages of the whole thread. */
  readonly count: number;
}

/** Reads one page of the thread that a post belongs to. @throws WorkspaceError not_found */
export async function readThreadView(
  { workspace, href, rendered }: PageContext,
  postId: string,
  after: string | undefined,
  pause: Pause,
): Promise<ThreadView> {
  const query = { postId, whole: true, limit: MAX_REPLIES, after, view: 'full' } as const;
  const { post, replies, nextAfter, threadCount } = await workspace.feed.thread(query, READER);
  const render = async (message: z.infer<typeof Message>): Promise<PageMessage> => ({
    ...message,
    markup: await rendered.html(message.id, message.message, (kind, id) => href(`/${kind}s/${id}`)),
  });
  const first = { ...post, ...(await render(post)) };
  const shown: PageMessage[] = [];
  let size = first.markup.text.length;
  for (const reply of replies) {
    if (!('message' in reply)) continue;
    await pause();
    const message = await render(reply);
    size += message.markup.text.length + FRAME_MARKUP;
    if (size > MAX_MARKUP && shown.length > 0) break;
    shown.push(message);
  }
  const isCut = shown.length < replies.length;
  return {
    first,
    replies: shown,
    after,
    nextAfter: isCut ? (shown.at(-1)?.createdAt ?? null) : nextAfter,
    count: threadCount,
  };
}
