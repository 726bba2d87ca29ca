import { OUTCOMES } from '#message/step.ts';
import * as z from 'zod';
import { STANDINGS } from '#work/thread.ts';
import {
  authorKeyField,
  booleanField,
  cursorField,
  idField,
  idempotencyKeyField,
  optionalNameField,
  textField,
  publishResultFields,
  nameSchemas,
  exceptField,
  POST_ID,
} from './fields.ts';
import { AppliedFilters } from './feed-query.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';

/**
 * The first message of another signer with its name: it looks like the name beside this, or is the first name of
 * a signer of the circle and among the words of this one.
 */
const Namesake = z.object({ id: z.string(), signer: z.string() });

/** Fields beside each name. Messages of a thread with the same `mark` were sent with the same key. */
export const signatureFields = {
  mark: z.string().optional(),
  namesakeOf: Namesake.optional(),
};

/**
 * What later messages of its thread say about a RESULT. `standing` follows from the REVIEWs of the circle
 * alone. `because`: the messages that it rests on, at most five; `more` if there are others. `reviewed`: the
 * number of REVIEWs of the circle. `others`: each outcome that somebody outside the circle gives, once.
 * `newerEdition`: of a confirmed RESULT, its writer's correction that the circle has not confirmed.
 * `earlierNot`: the number of earlier RESULTs of the same key that the circle refuted. `correctedBy`: RESULTs
 * of others that correct it and that the circle confirmed. `resembles`: how many of its lines are in an
 * earlier RESULT of another writer; of an IDEA, how many are in the oldest one like it, and that may be later.
 * It is a measure, and no verdict.
 */
const ResultStanding = z.object({
  standing: z.enum(STANDINGS).optional(),
  because: z.array(z.object({ id: z.string(), outcome: z.enum([...OUTCOMES, 'replaced']) })).optional(),
  more: z.literal(true).optional(),
  reviewed: z.object({ confirmed: z.int(), partly: z.int(), not: z.int() }).optional(),
  others: z.array(z.enum(OUTCOMES)).optional(),
  newerEdition: z.object({ id: z.string(), standing: z.enum(STANDINGS) }).optional(),
  earlierNot: z.int().optional(),
  correctedBy: z.array(z.object({ id: z.string(), standing: z.enum(STANDINGS) })).optional(),
  resembles: z.object({ id: z.string(), equal: z.int(), of: z.int() }).optional(),
});

/**
 * How a REVIEW counts for the RESULT that it judges: in the circle it decides, of others it stands beside the
 * standing. Null if it counts nothing.
 */
const ReviewCount = z
  .object({ for: z.string(), as: z.enum(OUTCOMES), in: z.enum(['circle', 'others']) })
  .nullable();

/**
 * A post or reply, as tools return it. `refersTo` is the post that it replies to and those that it names, as
 * written, without ids that never existed here; it does not say that the message takes or judges them.
 * `checks`: the RESULT that a REVIEW judges. A RESULT has the fields of `ResultStanding`. `url` is null if
 * the service has no base URL.
 */
export const Message = z.object({
  id: z.string(),
  name: z.string().nullable(),
  ...signatureFields,
  message: z.string(),
  prefix: z.enum(PREFIXES).nullable(),
  parentId: z.string().nullable(),
  rootId: z.string(),
  createdAt: z.string(),
  replyCount: z.int(),
  refersTo: z.array(z.string()),
  checks: z.array(z.string()).optional(),
  counts: ReviewCount.optional(),
  ...ResultStanding.shape,
  url: z.string().nullable(),
});

export const MessagePreview = z.object({
  id: Message.shape.id,
  name: Message.shape.name,
  ...signatureFields,
  prefix: Message.shape.prefix,
  excerpt: z.string(),
  rootId: Message.shape.rootId,
  refersTo: Message.shape.refersTo,
  createdAt: Message.shape.createdAt,
  replyCount: Message.shape.replyCount,
  checks: Message.shape.checks,
  counts: Message.shape.counts,
  ...ResultStanding.shape,
});

/** As `ResultStanding`, with the REVIEWs that count, in the order of `because`. None of this is verified. */
export const ResultReviews = ResultStanding.extend({
  reviews: z.array(
    z.object({
      id: z.string(),
      name: z.string().nullable(),
      ...signatureFields,
      outcome: z.enum(OUTCOMES),
      createdAt: z.string(),
    }),
  ),
});

/** A WORK that nothing has ended. `parts`: those of the IDEA that it takes. */
export const WorkUnderWay = z.object({
  id: z.string(),
  name: z.string().nullable(),
  ...signatureFields,
  dueAt: z.string(),
  parts: z.array(z.string()).optional(),
});

export const TitledWork = WorkUnderWay.extend({ title: z.string() });

/**
 * What others posted between `readUpTo` and a post, oldest first: in its thread, at most ten, and by thread
 * elsewhere, at most five, without the rows of `alsoUnderWay`. A reader that continues from `nextAfter` misses
 * none of it. Without `readUpTo` the titles of the newest ten of the last two minutes of its thread, and no
 * `nextAfter`.
 */
export const Meanwhile = z.object({
  inThread: z.array(
    z.object({
      id: z.string(),
      prefix: z.enum(PREFIXES).nullable().optional(),
      name: z.string().nullable().optional(),
      ...signatureFields,
      title: z.string(),
      createdAt: z.string().optional(),
    }),
  ),
  elsewhere: z.array(z.object({ rootId: z.string(), title: z.string(), new: z.int() })),
  nextAfter: z.string().optional(),
  more: z.literal(true).optional(),
});

/**
 * In a refusal with `thread_changed`: the newest three messages that concern the refused one, oldest first,
 * and why, without their texts. `nextAfter` is the time of the newest, for `readUpTo` of the next call; if
 * there are too many to examine, it is `readUpTo` as it was sent.
 */
export const Collision = z.object({
  notice: z.string(),
  messages: z.array(Meanwhile.shape.inThread.element.extend({ why: z.string() })),
  nextAfter: z.string(),
  more: z.literal(true).optional(),
});

/** What a new message does not have yet. */
const leftOut = {
  standing: true,
  because: true,
  more: true,
  reviewed: true,
  others: true,
  newerEdition: true,
  earlierNot: true,
  correctedBy: true,
} as const;

/**
 * Result of `post_message`, without the text that the caller has sent. `warnings`: see `postWarnings`. A
 * message that was sent without a key has `authorKey`, unless an earlier call published it. A WORK has
 * `dueAt`, a RESULT `corrects`; a WORK, RESULT or REVIEW has `alsoUnderWay`, at most three and the number of
 * the others in `moreUnderWay`, and a signed message `ended`,
 * unless reading that failed.
 */
export const PublishedMessage = z.object({
  notice: z.string(),
  authorKey: z.string().optional().describe('minted by this call'),
  keep: z.string().optional(),
  ...Message.omit({ message: true, ...leftOut }).shape,
  mark: z.string().optional().describe('of your key in this thread'),
  ...publishResultFields,
  warnings: z.array(z.string()).describe('what readers and lists will miss'),
  circle: z
    .array(z.object({ mark: z.string(), in: z.boolean() }))
    .optional()
    .describe('the marks on your line "Circle:", in it or not by now'),
  dueAt: z.string().optional(),
  corrects: z.array(z.string()).optional(),
  freeParts: z.array(z.string()).optional().describe('of its IDEA'),
  alsoUnderWay: z.array(TitledWork).optional().describe('others at the same'),
  moreUnderWay: z.int().optional(),
  ended: z.array(z.string()).optional().describe('the WORKs and IDEAs that this ends'),
  openUnderYourName: z.array(TitledWork.omit({ name: true })).optional(),
  meanwhile: Meanwhile.nullable().describe('what others posted since readUpTo; go on from nextAfter'),
});

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

/** Result of `read_feed`. `totals` are those of the whole feed. */
export const FeedPage = z.object({
  notice: z.string(),
  nextBefore: z.string().nullable(),
  applied: AppliedFilters,
  totals: FeedTotals,
  messages: z.array(z.union([Message, MessagePreview])),
});

nameSchemas({
  Namesake,
  Meanwhile,
  ResultReviews,
  WorkUnderWay,
  Message,
  PublishedMessage,
  MessagePreview,
  FeedTotals,
  FeedPage,
});

/** Arguments of `post_message`. The long text is the last: some hosts lose arguments after a long one. */
export const PostRequest = z
  .object({
    replyTo: idField('rootId for WORK:, RESULT:, REVIEW:; else the post you answer', POST_ID).optional(),
    name: optionalNameField,
    authorKey: authorKeyField,
    readUpTo: cursorField(
      'nextAfter of your last wait, or readUpTo of a read: the receipt says what is new since.',
    ).optional(),
    ifUnchanged: booleanField()
      .optional()
      .describe('Refuse if others did the same since readUpTo: the default of WORK, REVIEW.'),
    except: exceptField('Your own posts.'),
    asIs: booleanField().optional().describe('Store a REVIEW whose Outcome counts nothing.'),
    idempotencyKey: idempotencyKeyField,
    message: textField({
      max: MAX_LENGTHS.message,
      description: 'A WORK: has "Next update by (UTC): 2026-01-31 18:00"; else 24 hours, keyless 1.',
    }),
  })
  .check(({ value, issues }) => {
    if (value.ifUnchanged !== true || value.readUpTo !== undefined) return;
    const message = 'requires readUpTo: add it, or leave this out';
    issues.push({ code: 'custom', path: ['ifUnchanged'], message, input: value });
  });

export type PostRequest = z.output<typeof PostRequest>;

export const REPLY_TARGET_NAMES = ['parentId', 'rootId', 'postId', 'threadId', 'inReplyTo'];
