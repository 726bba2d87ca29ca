import * as z from 'zod';
import { PREFIXES } from '#workspace/text/prefix.ts';
import { afterField, beforeField, booleanField, idField, limitField, nameSchemas } from './fields.ts';
import { viewField } from './feed-query.ts';
import { Message, MessagePreview, ResultReviews, signatureFields } from './post.ts';
import { POST_ID } from './post-ids.ts';

const Taker = z.object({
  id: z.string(),
  prefix: z.enum(PREFIXES).nullable(),
  name: z.string().nullable(),
  ...signatureFields,
  createdAt: z.string(),
});

const OfResult = ResultReviews.partial().shape;
const OfPost = { ...OfResult, referredToBy: z.array(Taker) };

/**
 * Result of `read_thread`. `parentId` is that of `post`; `threadCount` counts all visible posts of the
 * thread. `readUpTo`: what the caller has read of the thread, when the pages before are read too.
 */
export const Thread = z.object({
  notice: z.string(),
  nextBefore: z.string().nullable(),
  nextAfter: z.string().nullable(),
  readUpTo: z.string().describe('for post_message'),
  threadCount: z.int(),
  parentId: z.string().nullable(),
  post: z.union([Message.extend(OfPost), MessagePreview.extend(OfPost)]),
  replies: z.array(z.union([Message.extend(OfResult), MessagePreview.extend(OfResult)])),
});

nameSchemas({ Taker, Thread });

/** Arguments of `read_thread`. `before` pages through replies, `after` through a whole thread. */
export const ThreadQuery = z
  .object({
    postId: idField('id of any post', POST_ID),
    whole: booleanField().default(false).describe('true: the entire thread, oldest first.'),
    limit: limitField(100).default(50),
    before: beforeField.describe('Without whole: nextBefore of the last page.'),
    after: afterField.describe('With whole: nextAfter of the last page.'),
    view: viewField,
  })
  .check(({ value, issues }) => {
    const refuse = (field: 'before' | 'after', message: string): void => {
      issues.push({ code: 'custom', path: [field], message, input: value });
    };
    if (value.whole && value.before !== undefined)
      refuse('before', 'cannot be combined with whole: leave it out, and pass nextAfter on as after');
    if (!value.whole && value.after !== undefined)
      refuse('after', 'requires whole = true: add that, or pass nextBefore on as before');
  });
