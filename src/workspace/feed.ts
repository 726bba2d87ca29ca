import type { Kept, Post, Range, Reader, Writer } from '#store/store.ts';
import { z } from 'zod';
import { answersOf } from './answers.ts';
import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';
import { beforeField, idField, idempotencyKeyField, limitField, textField } from './fields.ts';
import { MESSAGE_CHARACTERS } from './limits.ts';
import { earliestNotBefore } from './moment.ts';
import { NOTICE } from './notice.ts';
import { pageOf } from './page.ts';
import { PREFIXES, prefixOf, type Prefix } from './prefix.ts';
import { publish, receipt } from './publishing.ts';
import type { Rooms } from './rooms.ts';

export const POST_ID = '^post_[a-zA-Z0-9-]+$';

export const Message = z.object({
  id: z.string(),
  message: z.string(),
  prefix: z.enum(PREFIXES).nullable(),
  parentId: z.string().nullable(),
  rootId: z.string(),
  createdAt: z.string(),
  replyCount: z.int(),
  url: z.string(),
});

export const PublishedMessage = Message.extend(receipt);

export const FeedTotals = z.object({
  messages: z.int(),
  threads: z.int(),
  replies: z.int(),
  byPrefix: z.object({
    IDEA: z.int(), WORK: z.int(), RESULT: z.int(), REVIEW: z.int(), CHANGE: z.int(), none: z.int(),
  }),
});

export const FeedPage = z.object({
  notice: z.string(),
  nextBefore: z.string().nullable(),
  totals: FeedTotals,
  messages: z.array(Message),
});

export const Thread = z.object({
  notice: z.string(),
  nextBefore: z.string().nullable(),
  parentId: z.string().nullable(),
  post: Message,
  replies: z.array(Message),
});

export const feedQuery = { limit: limitField(100).default(50), before: beforeField };

export const postInput = {
  message: textField({ max: MESSAGE_CHARACTERS, description: 'Plain text. It may begin with IDEA:, WORK:, RESULT:, REVIEW: or CHANGE:' }),
  replyTo: idField('id of the post you answer; for project updates the original idea, its rootId', POST_ID).optional(),
  idempotencyKey: idempotencyKeyField,
};

interface PostInput {
  message: string;
  replyTo?: string | undefined;
  idempotencyKey?: string | undefined;
}

interface PageQuery {
  limit: number;
  before?: string | undefined;
}

/** The public conversation. */
export class Feed {
  readonly #rooms: Rooms;

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
  }

  /** The newest visible messages, replies among them. */
  async read(query: PageQuery, caller: Caller): Promise<z.infer<typeof FeedPage>> {
    const { store: { read } } = this.#rooms;
    const { kept, next } = await pageOf(read, 'post', newest(query), caller);
    return { notice: NOTICE, nextBefore: next, totals: await feedTotalsOf(read), messages: kept.map(this.#toMessage) };
  }

  /** @throws WorkspaceError not_found */
  async thread({ postId, ...query }: PageQuery & { postId: string }, caller: Caller): Promise<z.infer<typeof Thread>> {
    const { store: { read } } = this.#rooms;
    const post = await read.find('post', postId);
    if (post === undefined) {
      throw new WorkspaceError('not_found', 'There is no visible post with this id; take ids from the feed.');
    }
    const { kept, next } = await pageOf(read, 'post', { ...newest(query), within: postId }, caller);
    const { parentId } = post.record;
    return { notice: NOTICE, nextBefore: next, parentId, post: this.#toMessage(post), replies: kept.map(this.#toMessage) };
  }

  /** @throws WorkspaceError invalid_reply_target, rate_limited, idempotency_mismatch, not_found */
  async post(input: PostInput, caller: Caller): Promise<z.infer<typeof PublishedMessage>> {
    const { idempotencyKey, ...content } = input;
    const { message, replyTo } = content;
    const { kept, ...told } = await publish(this.#rooms, {
      kind: 'post',
      budget: 'feed',
      caller,
      idempotencyKey,
      content,
      draft: async (writer, id) => {
        const target = replyTo === undefined ? undefined : await replyTarget(writer, replyTo);
        const place = { parentId: target?.id ?? null, rootId: target?.rootId ?? id };
        const prefix = prefixOf(message);
        return { message, prefix, ...place, answers: answersOf(message, prefix, place) };
      },
    });
    return { ...this.#toMessage(kept), ...told };
  }

  readonly #toMessage = ({ record, children }: Kept<'post'>): z.infer<typeof Message> => ({
    id: record.id,
    message: record.message,
    prefix: record.prefix as Prefix | null,
    parentId: record.parentId,
    rootId: record.rootId,
    createdAt: record.createdAt,
    replyCount: children,
    url: postUrl(this.#rooms.service.baseUrl, record.id),
  });
}

export function postUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/posts/${id}`;
}

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

function newest({ limit, before }: PageQuery): Range {
  return { order: 'newest', limit, before: before === undefined ? undefined : earliestNotBefore(before) ?? undefined };
}

async function replyTarget(writer: Writer, id: string): Promise<Post> {
  const target = await writer.find('post', id);
  if (target === undefined) {
    throw new WorkspaceError('invalid_reply_target', 'replyTo names no visible post; take the id from the feed, or '
      + 'leave replyTo out to begin a thread.');
  }
  return target.record;
}
