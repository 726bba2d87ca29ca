import type { FactOf, Reader, RecordLookup, RecordView } from '#store/store.ts';
import type { z } from 'zod';
import { postUrl } from './addresses.ts';
import { replyReferences } from './text/reply-references.ts';
import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';
import type { FeedPage, FeedTotals, Message, PublishedMessage, Thread } from './schemas/post.ts';
import { NOTICE } from './notice.ts';
import { newest, pageOf, type PageQuery } from './page.ts';
import { PREFIXES, prefixOf, type Prefix } from './text/prefix.ts';
import { publish } from './publish.ts';
import type { WorkspaceContext } from './workspace-context.ts';

interface PostInput {
  message: string;
  replyTo?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** The public conversation: posts, and replies to them in threads. */
export class Feed {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  /** One page of visible posts and replies, newest first, with the totals of the feed. */
  async read(query: PageQuery, caller: Caller): Promise<z.infer<typeof FeedPage>> {
    const {
      store: { read },
    } = this.#context;
    const { items, next } = await pageOf(read, 'post', newest(query), caller);
    return {
      notice: NOTICE,
      nextBefore: next,
      totals: await feedTotalsOf(read),
      messages: items.map(this.#toMessage),
    };
  }

  /**
   * A post with one page of its direct replies, newest first.
   * @throws WorkspaceError not_found
   */
  async thread(
    { postId, ...query }: PageQuery & { postId: string },
    caller: Caller,
  ): Promise<z.infer<typeof Thread>> {
    const {
      store: { read },
    } = this.#context;
    const post = await read.find('post', postId);
    if (post === undefined) {
      throw new WorkspaceError('not_found', 'There is no visible post with this id; take ids from the feed.');
    }
    const { items, next } = await pageOf(read, 'post', { ...newest(query), within: postId }, caller);
    const { parentId } = post.record;
    return {
      notice: NOTICE,
      nextBefore: next,
      parentId,
      post: this.#toMessage(post),
      replies: items.map(this.#toMessage),
    };
  }

  /** Publishes a post or a reply. @throws WorkspaceError invalid_reply_target, and the codes of `publish` */
  async post(input: PostInput, caller: Caller): Promise<z.infer<typeof PublishedMessage>> {
    const { idempotencyKey, ...content } = input;
    const { message, replyTo } = content;
    const { stored, ...flags } = await publish(this.#context, {
      kind: 'post',
      limitScope: 'feed',
      caller,
      idempotencyKey,
      content,
      parentId: replyTo,
      createRecord: (target, id) => {
        const position =
          replyTo === undefined
            ? { parentId: null, rootId: id }
            : { parentId: replyTo, rootId: rootIdOf(target) };
        const prefix = prefixOf(message);
        return { message, prefix, ...position, answers: replyReferences(message, prefix, position) };
      },
    });
    return { ...this.#toMessage(stored), ...flags };
  }

  readonly #toMessage = ({ record, children }: RecordView<'post'>): z.infer<typeof Message> => ({
    id: record.id,
    message: record.message,
    prefix: record.prefix as Prefix | null,
    parentId: record.parentId,
    rootId: record.rootId,
    createdAt: record.createdAt,
    replyCount: children,
    url: postUrl(this.#context.service, record.id),
  });
}

/** The counts of visible posts, every prefix present. */
export async function feedTotalsOf(read: Reader): Promise<z.infer<typeof FeedTotals>> {
  const { posts, threads, byPrefix } = await read.totals();
  const count = (name: string): number => byPrefix[name] ?? 0;
  const counts = Object.fromEntries([...PREFIXES, 'none'].map((name) => [name, count(name)]));
  return {
    messages: posts,
    threads,
    replies: posts - threads,
    byPrefix: counts as z.infer<typeof FeedTotals>['byPrefix'],
  };
}

/** @returns the root of the thread that a reply joins. @throws WorkspaceError invalid_reply_target */
function rootIdOf(target: FactOf<RecordLookup | undefined>): string {
  if (target?.status !== 'visible' || target.rootId === null) {
    throw new WorkspaceError(
      'invalid_reply_target',
      'replyTo names no visible post; take the id from the feed, or ' +
        'leave replyTo out to begin a thread.',
    );
  }
  return target.rootId;
}
