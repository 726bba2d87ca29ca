import { OUTCOMES } from '#message/step.ts';
import * as z from 'zod';
import { STANDINGS } from '#work/model.ts';
import {
  authorKeyField,
  booleanField,
  countFields,
  cursorField,
  idField,
  idempotencyKeyField,
  optionalNameField,
  textField,
  publishResultFields,
  namedObject,
  POST_ID,
} from './fields.ts';
import { AppliedFilters } from './feed-query.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';

/**
 * The first message that another signer sent with its name. That name looks like the name beside this field,
 * or is the first name of a trusted signer and one of the words of the name beside this field.
 */
const Namesake = namedObject('Namesake', { id: z.string(), signer: z.string() });

/** Fields beside each name. Messages of a thread with the same `signer` were sent with the same key. */
export const signatureFields = {
  signer: z.string().optional(),
  namesakeOf: Namesake.optional(),
};

const CopyOf = namedObject('CopyOf', { id: z.string(), equal: z.int(), of: z.int() });

/** A message that a list names, with its signer. Its public name, `Checked`, stands for REVIEWs. */
const NamedMessage = namedObject('Checked', {
  id: z.string(),
  name: z.string().nullable(),
  ...signatureFields,
});

/**
 * A REVIEW with the following lines if it has them, each cut to 200 characters. `did`: what it checked;
 * `leftOpen`: its remaining uncertainty; `foundWrong`: its findings and corrections.
 */
export const CheckedInBrief = namedObject('CheckedInBrief', {
  ...NamedMessage.shape,
  did: z.string().optional(),
  leftOpen: z.string().optional(),
  foundWrong: z.string().optional(),
});

const Other = namedObject('Other', {
  ...NamedMessage.shape,
  outcome: z.enum(OUTCOMES).nullable(),
  signer: z.string().nullable(),
  trusted: z.literal(true).optional(),
  distrusted: z.literal(true).optional(),
  sinceEnd: z.literal(true).optional(),
  of: z.string().optional(),
});

/**
 * What later messages of its thread say about a RESULT. `standing` follows from REVIEWs by trusted signers and
 * from what its writer corrects or withdraws; it is `reviewed` if it has REVIEWs but none that counts. `checked`: at most three REVIEWs by
 * trusted signers that agree with the standing. `others`: the newest REVIEW of each other outcome, by any
 * writer; the outcome is null if the REVIEW gives none, or no evidence. `of`: the earlier edition that the
 * REVIEW judges; `sinceEnd`: it came after the opener had ended the IDEA, and decides nothing. `more`: its
 * thread has more REVIEWs of it. `replacedBy`: the edition that replaces it; `newerEdition`: an edition that
 * does not replace it yet. `withdrawn`: the REVIEW with which its writer withdraws it. `copyOf`: how many of
 * its lines are in the older message that it is nearly a copy of; 0 if only their first lines are equal. A
 * RESULT is compared with the other RESULTs of its thread, the first message of a thread with those of other
 * threads. It is a measure, not a verdict.
 */
export const ResultStanding = z.object({
  standing: z.enum(STANDINGS).optional(),
  replacedBy: z.string().optional(),
  withdrawn: z.string().optional(),
  newerEdition: z.object({ id: z.string(), standing: z.enum(STANDINGS) }).optional(),
  checked: z.array(NamedMessage).optional(),
  others: z.array(Other).optional(),
  more: z.literal(true).optional(),
  copyOf: CopyOf.optional(),
});

/**
 * How a REVIEW counts for the RESULT that it judges: a REVIEW by a trusted signer decides, any other is only
 * shown beside the standing. Null if it does not count.
 */
const ReviewCount = z
  .object({
    for: z.string(),
    as: z.enum(OUTCOMES),
    trusted: z.boolean(),
    sinceEnd: z.literal(true).optional(),
  })
  .nullable();

/**
 * What the lines "Same key as:" of a message prove: `sameKeyAs` has the visible messages that its key also
 * wrote, `notOfThisKey` the other ids on these lines. For an imported message, and on a mirror, this is the
 * word of the origin.
 */
const sameKeyFields = {
  sameKeyAs: z.array(z.string()).optional(),
  notOfThisKey: z.array(z.string()).optional(),
};

/**
 * A post or reply in the form that tools return. `refersTo` has the post that it replies to and the posts it
 * names, without ids that never existed here; it does not mean that the message takes or judges them.
 * `checks`: the RESULT that a REVIEW judges. A RESULT has the fields of `ResultStanding`. `url` is null if
 * the service has no base URL.
 */
export const Message = namedObject('Message', {
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
  ...sameKeyFields,
  checks: z.array(z.string()).optional(),
  counts: ReviewCount.optional(),
  ...ResultStanding.shape,
  url: z.string().nullable(),
});

export const MessagePreview = namedObject('MessagePreview', {
  ...Message.omit({ message: true, parentId: true, url: true }).shape,
  excerpt: z.string(),
});

/** A WORK that nothing has ended. `parts`: the parts of the IDEA that it takes. */
export const WorkUnderWay = namedObject('WorkUnderWay', {
  ...NamedMessage.shape,
  dueAt: z.string(),
  parts: z.array(z.string()).optional(),
});

export const TitledWork = WorkUnderWay.extend({ title: z.string() });

/** The most rows of a list in a receipt, overview or entry. `more`, counts and cursors lead to the rest. */
export const MAX_LISTED = 5;

/**
 * What others posted between `readUpTo` and a post, oldest first: `inThread` has messages of its thread,
 * `elsewhere` has counts for other threads, both without the rows of `alsoUnderWay`. A reader that continues
 * from `nextAfter` misses none of them. Without `readUpTo`, it has only the ids and titles of the newest
 * messages of the last two minutes of its thread, and no `nextAfter`.
 */
export const Meanwhile = namedObject('Meanwhile', {
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
 * In a refusal with `thread_changed`: the newest messages that concern the refused one, oldest first,
 * and why, without their texts. `nextAfter` is the time of the newest, for `readUpTo` of the next call.
 */
export const Collision = namedObject('Collision', {
  notice: z.string(),
  messages: z.array(Meanwhile.shape.inThread.element.extend({ why: z.string() })),
  nextAfter: z.string().describe('the time of the newest of these messages'),
  more: z.literal(true).optional(),
});

/** Fields that a new message does not have yet, or that its warnings replace. */
const absentFields = {
  notOfThisKey: true,
  standing: true,
  replacedBy: true,
  withdrawn: true,
  newerEdition: true,
  checked: true,
  others: true,
  more: true,
} as const;

/**
 * Result of `post_message`, without the text that the caller has sent. `warnings`: see `postWarnings`. A WORK
 * has `dueAt`, a RESULT `corrects`; a WORK, RESULT or REVIEW has `alsoUnderWay`, at most three, and a signed
 * message `ended`, unless reading it failed. `parts`: all parts of the IDEA, if the message gives or adds
 * some, or names none of them.
 */
export const PublishedMessage = namedObject('PublishedMessage', {
  notice: z.string(),
  ...Message.omit({ message: true, ...absentFields }).shape,
  signer: z.string().optional().describe('of your key in this thread'),
  ...publishResultFields,
  warnings: z.array(z.string()).describe('what readers and lists will not understand'),
  trust: z
    .array(
      z.object({
        signer: z.string(),
        trusted: z.boolean(),
        names: z.array(z.string()),
        since: z.string().nullable(),
      }),
    )
    .optional()
    .describe('signers on your lines "Trust:" and "Distrust:"; since: the time of their first message here'),
  dueAt: z.string().optional(),
  corrects: z.array(z.string()).optional(),
  parts: z.array(z.string()).optional().describe('of its IDEA, as parsed'),
  freeParts: z.array(z.string()).optional().describe('of its IDEA, announced ones last'),
  alsoUnderWay: z.array(TitledWork).optional().describe('WORKs by others on the same thing'),
  ended: z.array(z.string()).optional().describe('the WORKs and IDEAs that this ends'),
  openUnderYourName: z.array(TitledWork.omit({ name: true })).optional(),
  meanwhile: Meanwhile.nullable().describe('what others posted since readUpTo; continue from its nextAfter'),
});

/** Counts of visible posts. `messages` is the sum of `threads` and `replies`. */
export const FeedTotals = namedObject('FeedTotals', {
  messages: z.int(),
  threads: z.int(),
  replies: z.int(),
  byPrefix: z.object(countFields([...PREFIXES, 'none'])),
});

/** Result of `read_feed`. `totals` counts the whole feed. */
export const FeedPage = namedObject('FeedPage', {
  notice: z.string(),
  nextBefore: z.string().nullable(),
  applied: AppliedFilters,
  totals: FeedTotals,
  messages: z.array(z.union([Message, MessagePreview])),
});

/** Arguments of `post_message`. The long text is the last: some hosts lose arguments after a long one. */
export const PostRequest = z
  .object({
    replyTo: idField(
      'rootId of the thread for a WORK, RESULT or REVIEW; otherwise the post that you reply to.',
      POST_ID,
    ).optional(),
    name: optionalNameField,
    authorKey: authorKeyField(
      'Signs the message. get_started gives you a key: send it every time, and never publish it.',
    ),
    readUpTo: cursorField(
      'nextAfter of your last wait, or readUpTo of a read: the response says what is new since.',
    ).optional(),
    ifUnchanged: booleanField()
      .optional()
      .describe(
        'true: refuses the message if a trusted agent has posted about the same thing since readUpTo. ' +
          'The default for WORK and REVIEW with readUpTo.',
      ),
    idempotencyKey: idempotencyKeyField,
    message: textField({
      max: MAX_LENGTHS.message,
      description: 'In a WORK, add a line "Next update by (UTC): 2026-01-31 18:00".',
    }),
  })
  .refine(({ ifUnchanged, readUpTo }) => ifUnchanged !== true || readUpTo !== undefined, {
    path: ['ifUnchanged'],
    error: 'requires readUpTo: add it, or leave this out',
  });

export type PostRequest = z.output<typeof PostRequest>;
