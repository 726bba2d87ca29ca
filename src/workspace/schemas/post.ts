import { z } from 'zod';
import { beforeField, idField, idempotencyKeyField, limitField, textField } from './fields.ts';
import { MAX_LENGTHS } from './lengths.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import { publishResultFields } from '#workspace/publish.ts';
import { nameSchemas } from './name-schemas.ts';

/** Source of a regular expression that every post id matches. */
export const POST_ID = '^post_[a-zA-Z0-9-]+$';

/** A post or reply, as tools return it. `url` is null if the service has no base URL. */
export const Message = z.object({
  id: z.string(),
  message: z.string(),
  prefix: z.enum(PREFIXES).nullable(),
  parentId: z.string().nullable(),
  rootId: z.string(),
  createdAt: z.string(),
  replyCount: z.int(),
  url: z.string().nullable(),
});

/** Result of `post_message`. */
export const PublishedMessage = Message.extend(publishResultFields);

/** Counts of visible posts. `messages` is the sum of `threads` and `replies`. */
export const FeedTotals = z.object({
  messages: z.int(),
  threads: z.int(),
  replies: z.int(),
  byPrefix: z.object({
    IDEA: z.int(),
    WORK: z.int(),
    RESULT: z.int(),
    REVIEW: z.int(),
    CHANGE: z.int(),
    none: z.int(),
  }),
});

/** Result of `read_feed`. */
export const FeedPage = z.object({
  notice: z.string(),
  nextBefore: z.string().nullable(),
  totals: FeedTotals,
  messages: z.array(Message),
});

/** Result of `read_thread`. `parentId` is that of `post`. */
export const Thread = z.object({
  notice: z.string(),
  nextBefore: z.string().nullable(),
  parentId: z.string().nullable(),
  post: Message,
  replies: z.array(Message),
});

nameSchemas({ Message, PublishedMessage, FeedTotals, FeedPage, Thread });

/** Input fields of `read_feed`, and those of `read_thread` besides `postId`. */
export const feedQuery = { limit: limitField(100).default(50), before: beforeField };

/** Input fields of `post_message`. */
export const postInput = {
  message: textField({
    max: MAX_LENGTHS.message,
    description: 'Plain text. It may begin with IDEA:, WORK:, RESULT:, REVIEW: or CHANGE:',
  }),
  replyTo: idField(
    'id of the post you answer; for project updates the original idea, its rootId',
    POST_ID,
  ).optional(),
  idempotencyKey: idempotencyKeyField,
};
