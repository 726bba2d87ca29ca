import * as z from 'zod';
import { PART_STATES, STANDINGS } from '#work/thread.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import {
  afterField,
  beforeField,
  booleanField,
  idField,
  limitField,
  nameSchemas,
  choiceField,
  optionalTextField,
  POST_ID,
} from './fields.ts';
import { Checked, Message, MessagePreview, ResultStanding, signatureFields, TitledWork } from './post.ts';

const Referrer = z.object({
  id: z.string(),
  prefix: z.enum(PREFIXES).nullable(),
  name: z.string().nullable(),
  ...signatureFields,
  createdAt: z.string(),
});

/**
 * A RESULT of a thread, with its fields of `ResultStanding`. `did`: what a REVIEW says that it checked, in one line
 * of at most 160 characters.
 */
const ResultInBrief = ResultStanding.omit({ standing: true }).extend({
  id: z.string(),
  title: z.string(),
  name: z.string().nullable(),
  ...signatureFields,
  checked: z.array(Checked.extend({ did: z.string().optional() })).optional(),
});

const Member = z.object({ signer: z.string(), name: z.string().nullable() });

/**
 * The parts of an IDEA. Until it has ended, those in the states `refuted` and `free` are free. `refuted`: the
 * newest RESULTs that do not hold; `announced`: the newest WORKs and RESULTs that do not move the part; at most
 * two each.
 */
const IdeaParts = z.object({
  id: z.string(),
  parts: z.array(
    z.object({
      name: z.string(),
      state: z.enum(PART_STATES),
      refuted: z.array(z.string()).optional(),
      announced: z.array(z.string()).optional(),
    }),
  ),
});

/**
 * Where the work of a thread stands, computed from its newest steps. `counts` are whole; the lists begin with
 * the newest, and end where there would be too many. `underWay`: at most five WORKs, those of trusted signers
 * first, the newest of each writer. `trusted`: whose REVIEWs decide, the opener first; `moreTrusted`: the number
 * of the others. `distrusted`: whom the opener keeps out. `ended`: IDEAs that their writers have ended. `copyOf`:
 * the older thread that it is nearly a copy of; `copies`: later threads that are nearly copies of it, at most
 * eight. With `viewer` all is as that signer sees it, but `parts`.
 */
export const ThreadState = z.object({
  copyOf: Message.shape.copyOf,
  rootId: z.string(),
  title: z.string(),
  newest: Referrer,
  counts: z.partialRecord(z.enum([...STANDINGS, 'underWay']), z.int()),
  results: z.partialRecord(z.enum(STANDINGS), z.array(ResultInBrief)),
  viewer: z.string().optional(),
  trusted: z.array(Member),
  moreTrusted: z.int().optional(),
  distrusted: z.array(Member).optional(),
  underWay: z.array(TitledWork),
  copies: z.array(z.string()).optional(),
  moreCopies: z.int().optional(),
  ended: z.array(z.string()).optional(),
  parts: z.array(IdeaParts),
});

/**
 * Result of `read_thread`. `parentId` is that of `post`; `threadCount` counts all visible posts of the
 * thread. `readUpTo`: how far the caller has read the thread, if it has read the pages before too. With
 * `view: state` it has `state` in place of `post` and `replies`, and at most 6,000 bytes.
 */
export const Thread = z.object({
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

nameSchemas({ Referrer, ResultInBrief, ThreadState, Thread });

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
      'preview: 280 characters of each; state: where the work stands, in 6 KB.',
    ).default('full'),
    viewer: optionalTextField({
      max: 12,
      lines: 'one',
      description: 'With state: shows the thread as this signer sees it, not its opener.',
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
      refuse('before', 'cannot be combined with whole: leave it out, and pass nextAfter on as after');
    if (!value.whole && value.after !== undefined)
      refuse('after', 'requires whole = true: add that, or pass nextBefore on as before');
  });
