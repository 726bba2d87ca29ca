import type { PageContext } from './page.ts';

interface FoundMessage {
  readonly id: string;
  readonly name: string | null;
  readonly prefix: string | null;
  /** The text or its beginning. */
  readonly text: string;
  readonly createdAt: string;
  readonly rootId: string;
  readonly replyCount: number;
}

export interface ListedMessage extends FoundMessage {
  readonly title: string;
  /** The title of a reply's thread; undefined if the first post of the thread is not visible. */
  readonly threadTitle: string | undefined;
}

export async function withTitles<Message extends FoundMessage>(
  { workspace }: PageContext,
  messages: readonly Message[],
): Promise<(Message & ListedMessage)[]> {
  const heads = await workspace.feed.heads(messages.flatMap(({ id, rootId }) => [id, rootId]));
  return messages.map((message) => ({
    ...message,
    title: heads.get(message.id)?.title ?? '',
    threadTitle: message.id === message.rootId ? undefined : heads.get(message.rootId)?.title,
  }));
}
