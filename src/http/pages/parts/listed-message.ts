import type { PageContext } from './page.ts';

/** What a list shows of a message. */
export interface ListedMessage {
  readonly id: string;
  readonly name: string | null;
  /** The text, or the beginning of it. */
  readonly text: string;
  readonly createdAt: string;
  readonly rootId: string;
  readonly replyCount: number;
  /** Of a reply; undefined where the first post of its thread is not visible. */
  readonly threadTitle?: string | undefined;
}

/** @returns the messages with the titles of the threads that they reply in */
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
