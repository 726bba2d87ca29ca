import type { PageContext } from './page.ts';

/** A message as lists show it. */
export interface ListedMessage {
  readonly id: string;
  readonly name: string | null;
  /** The text or its beginning. */
  readonly text: string;
  readonly createdAt: string;
  readonly rootId: string;
  readonly replyCount: number;
  /** The title of a reply's thread; undefined if the first post of the thread is not visible. */
  readonly threadTitle?: string | undefined;
}

/** Adds the titles of their threads to replies. */
export async function withThreadTitles<Message extends ListedMessage>(
  { workspace }: PageContext,
  messages: readonly Message[],
): Promise<(Message & ListedMessage)[]> {
  const replies = messages.filter(({ id, rootId }) => id !== rootId);
  const titles = await workspace.feed.threadTitles(replies.map(({ rootId }) => rootId));
  return messages.map((message) =>
    message.id === message.rootId ? message : { ...message, threadTitle: titles.get(message.rootId) },
  );
}
