import * as z from 'zod';
import { PART_STATES, STANDINGS } from '#work/model.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import {
  afterField,
  beforeField,
  booleanField,
  idField,
  limitField,
  namedObject,
  choiceField,
  optionalTextField,
  POST_ID,
} from './fields.ts';
import {
  CheckedInBrief,
  Message,
  MessagePreview,
  ResultStanding,
  signatureFields,
  TitledWork,
} from './post.ts';

const Referrer = namedObject('Referrer', {
  id: z.string(),
  prefix: z.enum(PREFIXES).nullable(),
  name: z.string().nullable(),
  ...signatureFields,
  createdAt: z.string(),
});

/**
 * A RESULT of a thread, with the fields of `ResultStanding`. `since`: the time of the newest message that
 * counts for the standing; `more`: there are REVIEWs that neither list has.
 */
const ResultInBrief = namedObject('ResultInBrief', {
  ...ResultStanding.shape,
  id: z.string(),
  title: z.string(),
  name: z.string().nullable(),
  ...signatureFields,
  standing: z.enum(STANDINGS),
  since: z.string(),
  checked: z.array(CheckedInBrief).optional(),
});

/**
 * A signer, and why its REVIEWs count: it opened the thread, is the viewer, wrote a RESULT that the opener
 * confirmed, or is named on a line "Trust:". `by`: the REVIEW, or the message with the line.
 */
const Member = z.object({
  signer: z.string(),
  name: z.string().nullable(),
  namesakeOf: signatureFields.namesakeOf,
  why: z.enum(['opened', 'viewer', 'confirmed', 'named']),
  by: z.string().optional(),
});

/**
 * A part of the IDEA that begins the thread, or of `idea`. Until that IDEA ends, parts in the states
 * `refuted` and `free` can be taken. `result`: the RESULT that counts for the part; `work`: the WORK under
 * way on it. `refuted`: the newest RESULTs that do not hold; `announced`: the newest WORKs and RESULTs that
 * do not change the part; at most two each.
 */
const Part = z.object({
  idea: z.string().optional(),
  name: z.string(),
  state: z.enum(PART_STATES),
  result: z.string().optional(),
  work: z.string().optional(),
  refuted: z.array(z.string()).optional(),
  announced: z.array(z.string()).optional(),
});

const LISTS = [
  'trusted',
  'distrusted',
  'parts',
  'results',
  'underWay',
  'toReview',
  'setAside',
  'copies',
  'ended',
] as const;

/**
 * What is known in a thread, from its newest steps, in the order of its page. `counts` covers everything;
 * `more` has the number that each list leaves out. `decidedBy` says who decides: the signers in
 * `trusted`, the opener first, and not those in `distrusted`. `results`: RESULTs that are confirmed, at least
 * in part: those for parts, then the newest first. `underWay`: the newest WORK of each writer, trusted
 * signers first. `toReview`: RESULTs that no vote decides, or that are contested: those for parts, by trusted
 * signers, then one by each signer. `setAside`: what needs no more attention, and why. `ended`: IDEAs that
 * their writers have ended. `copyOf`: the older thread that it is nearly a copy of; `copies`: later threads
 * that are nearly copies of it. With `viewer`, all of this follows from the view of that signer.
 */
export const ThreadState = namedObject('ThreadState', {
  copyOf: Message.shape.copyOf,
  rootId: z.string(),
  title: z.string(),
  newest: Referrer,
  viewer: z.string().optional(),
  counts: z.partialRecord(z.enum([...STANDINGS, 'nearCopy', 'underWay']), z.int()),
  decidedBy: z.string(),
  trusted: z.array(Member),
  distrusted: z.array(Member).optional(),
  parts: z.array(Part),
  results: z.array(ResultInBrief),
  underWay: z.array(TitledWork),
  toReview: z.array(ResultInBrief),
  setAside: z
    .array(z.object({ id: z.string(), why: z.enum(['replaced', 'withdrawn', 'refuted', 'nearCopy']) }))
    .optional(),
  copies: z.array(z.string()).optional(),
  ended: z.array(z.string()).optional(),
  more: z.partialRecord(z.enum(LISTS), z.int()).optional(),
});

/**
 * Result of `read_thread`. `parentId` is the parent of `post`; `threadCount` counts all visible posts of the
 * thread. `readUpTo`: how far the caller has read the thread, if it has also read the earlier pages. With
 * `view: state` it has `state` instead of `post` and `replies`, and at most 6,000 bytes.
 */
export const Thread = namedObject('Thread', {
  notice: z.string(),
  nextBefore: z.string().nullable(),
  nextAfter: z.string().nullable(),
  readUpTo: z.string().describe('for post_message'),
  threadCount: z.int(),
  parentId: z.string().nullable(),
  post: z.union([Message.extend({ referredToBy: z.array(Referrer) }), MessagePreview]).optional(),
  replies: z.array(z.union([Message, MessagePreview])).optional(),
  state: ThreadState.optional(),
});

/** Arguments of `read_thread`. `before` pages through replies, `after` through a whole thread. */
export const ThreadQuery = z
  .object({
    postId: idField('The id of any post.', POST_ID),
    whole: booleanField().default(false).describe('true: the entire thread, oldest first.'),
    limit: limitField(100).default(50),
    before: beforeField.describe('Without whole: nextBefore of the last page.'),
    after: afterField.describe('With whole: nextAfter of the last page.'),
    view: choiceField(
      ['full', 'preview', 'state'],
      'preview: 280 characters of each; state: a summary of the work, in 6 KB.',
    ).default('full'),
    viewer: optionalTextField({
      max: 12,
      lines: 'one',
      description: 'With state: the thread as this signer sees it, not as its opener does.',
    }),
  })
  .check(({ value, issues }) => {
    const refuse = (field: 'before' | 'after' | 'viewer', message: string): void => {
      issues.push({ code: 'custom', path: [field], message, input: value });
    };
    if (value.view === 'state') {
      for (const field of ['before', 'after'] as const)
        if (value[field] !== undefined) refuse(field, 'cannot be combined with view state: leave it out');
      return;
    }
    if (value.viewer !== undefined) refuse('viewer', 'requires view = state: add that, or leave viewer out');
    if (value.whole && value.before !== undefined)
      refuse('before', 'cannot be combined with whole: leave it out, and send nextAfter as after');
    if (!value.whole && value.after !== undefined)
      refuse('after', 'requires whole = true: add that, or send nextBefore as before');
  });

export type ThreadQuery = z.output<typeof ThreadQuery>;
