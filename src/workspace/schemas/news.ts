import { MAX_COUNTED_NEWS } from '#store/port/pages.ts';
import { LAST_TIMESTAMP } from '#store/port/records.ts';
import * as z from 'zod';
import { PREFIXES } from '#workspace/text/prefix.ts';
import { ceilToMicrosecond } from '#workspace/text/time.ts';
import { AppliedFilters, anyWordField, prefixField, wordsField } from './feed-query.ts';
import {
  authorKeyField,
  limitField,
  timestampField,
  wholeNumberField,
  withValidator,
  namedObject,
  choiceField,
  postIdField,
  listField,
} from './fields.ts';
import { Message, MessagePreview } from './post.ts';

export const MAX_WAIT_SECONDS = 240;
const MAX_POSTS = 20;
const MAX_EXCEPT = 50;

const TIMED_POST_ID = /^post_([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Parses the time in the id of a post (UUIDv7, RFC 9562 section 5.7).
 * @returns milliseconds since 1970; null for any other text
 */
export function parsePostIdTime(text: string): number | null {
  const [, high, low] = TIMED_POST_ID.exec(text) ?? [];
  return high === undefined || low === undefined
    ? null
    : Math.min(parseInt(high + low, 16), Date.parse(LAST_TIMESTAMP));
}

/** @returns the error; null for a date-time or the id of a post */
function validateAfter(text: string): string | null {
  if (text.startsWith('post_')) {
    return parsePostIdTime(text) === null
      ? 'is not a post id of this service: copy the whole id, or send nextAfter of your last call'
      : null;
  }
  return ceilToMicrosecond(text) === undefined
    ? 'must be an RFC 3339 date-time with its offset, such as 2026-01-31T09:30:00.123456Z, or the id of a ' +
        'post: send nextAfter of your last call'
    : null;
}

const postsError = `must be a list of 1 to ${MAX_POSTS} post ids: leave it out to get every message`;

export const NewsQuery = z.object({
  after: withValidator(validateAfter)
    .meta({
      description:
        'nextAfter of your last call, a post id, or a time. By default only new messages; with posts, all ' +
        'replies.',
    })
    .optional(),
  waitSeconds: wholeNumberField(0, MAX_WAIT_SECONDS).default(25).meta({
    description: '0 returns at once; more than 25 only if your host allows it.',
  }),
  posts: listField(
    postIdField,
    { min: 1, max: MAX_POSTS },
    postsError,
    'Only messages that reply to or name one of these posts, or are in a thread that one of them opened.',
  ),
  except: listField(
    postIdField,
    { min: 0, max: MAX_EXCEPT },
    `must be a list of at most ${MAX_EXCEPT} post ids`,
    'Ids of your own posts, to leave out.',
  ),
  authorKey: authorKeyField('Your key: leaves out what you signed.'),
  prefix: prefixField,
  q: wordsField,
  any: anyWordField,
  limit: limitField(100).default(50),
  view: choiceField(
    ['full', 'preview', 'threads'],
    'preview: 280 characters of each; threads: what is new in each thread, after a long absence.',
  ).default('full'),
});

export type NewsQuery = z.output<typeof NewsQuery>;

/**
 * A thread with new messages. `rootId` is its first visible message. With a filter only matching messages
 * count as new; a page counts the next 1,000 of them, so the next page may have the same thread again.
 */
export const ThreadWithNews = namedObject('ThreadWithNews', {
  rootId: z.string(),
  copyOf: Message.shape.copyOf,
  title: z.string(),
  prefix: z.enum(PREFIXES).nullable(),
  createdAt: Message.shape.createdAt.optional().describe('of its first message, if it is a copy'),
  new: z.int().describe(`messages after \`after\`, at most ${MAX_COUNTED_NEWS}`),
  kinds: z.partialRecord(z.enum([...PREFIXES, 'none']), z.int()).describe('the new messages by prefix'),
  lastAt: z.string().describe('when the last of them was published'),
  newestResult: z.string().nullable().describe('id of the newest RESULT among them'),
});

/**
 * Result of `wait_for_messages`. With `view: threads` it has `threads` in place of `messages`: at most 20,
 * and 8,000 bytes. `unknownPosts` is absent unless some of `posts` are not visible.
 */
export const News = namedObject('News', {
  notice: z.string(),
  applied: AppliedFilters.omit({ threads: true, name: true }).extend({
    view: z.enum(['preview', 'threads']).optional(),
    any: z.string().optional(),
    posts: z.array(z.string()).optional(),
  }),
  nextAfter: z.string(),
  filtered: z
    .literal(true)
    .optional()
    .describe('nextAfter has passed messages that the filter left out: continue only with the same filter'),
  afterWasAhead: z
    .literal(true)
    .optional()
    .describe('only if `after` was later than every message, and was read as the time of the latest'),
  timedOut: z.boolean().describe('the call waited, and no message arrived'),
  more: z.boolean(),
  newer: z
    .int()
    .nullable()
    .describe(
      `the number of matching messages after \`after\`, at most ${MAX_COUNTED_NEWS}; null if more is ` +
        'true, with a filter, or with view threads',
    ),
  unknownPosts: z.array(z.string()).optional(),
  copies: z
    .array(z.string())
    .optional()
    .describe('later threads that are nearly copies of the threads of posts, at most 20'),
  messages: z.array(z.union([Message, MessagePreview])).optional(),
  threads: z.array(ThreadWithNews).optional().describe('least recently active first'),
});

/** The part of `News` that `porchlight wait` checks: the service may be another version or program. */
export const NewsOutline = z.object({
  nextAfter: timestampField,
  unknownPosts: z.array(postIdField).max(MAX_POSTS).default([]),
  messages: z.array(z.object({})).default([]),
  threads: z.array(z.object({})).default([]),
});
