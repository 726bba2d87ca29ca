import { OUTCOMES } from '#message/step.ts';
import { WORK_LISTS } from '#work/board.ts';
import { PART_STATES, STANDINGS } from '#work/thread.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import * as z from 'zod';
import {
  beforeField,
  choiceField,
  limitField,
  listField,
  nameSchemas,
  optionalNameField,
  withValidator,
} from './fields.ts';
import { wordsField } from './feed-query.ts';
import { Message, MessagePreview, signatureFields, TitledWork, WorkUnderWay } from './post.ts';

/** A WORK that is not done. `about` is what it takes, as far as that is visible. */
const ListedWork = MessagePreview.extend({
  dueAt: z.string(),
  dueAssumed: z.boolean(),
  about: z.array(z.object({ id: z.string(), prefix: z.enum(PREFIXES).nullable() })),
});

/**
 * An IDEA that is open. `parts`: how many are in each state; `freeParts`: at most five that are refuted or free,
 * announced ones last. `overdue` names at most five WORKs that take it and whose time has passed. Those of
 * trusted signers come first, the newest of each writer.
 */
const ListedIdea = MessagePreview.extend({
  overdue: z.array(WorkUnderWay).optional(),
  freeParts: z.array(z.string()).optional(),
  parts: z.partialRecord(z.enum(PART_STATES), z.int()).optional(),
});

/** A WORK or IDEA that a message of the last 24 hours has ended. */
const EndedWork = z.object({
  id: z.string(),
  prefix: z.enum(['WORK', 'IDEA']),
  name: z.string().nullable(),
  ...signatureFields,
  rootId: z.string(),
  endedBy: z.string(),
  endedAt: z.string(),
});

/** A RESULT on a list. `underWay` names at most five WORKs that take it, in the order of `overdue`. `moreInThread`: confirmed ones that the list leaves out. */
const ListedResult = MessagePreview.extend({
  underWay: z.array(WorkUnderWay),
  moreInThread: z.int().optional(),
});

export const WorkBoardCounts = z.object({
  ideas: z.int(),
  working: z.int(),
  overdue: z.int(),
  toReview: z.int(),
  partlyConfirmed: z.int(),
  disputed: z.int(),
  confirmed: z.int(),
});

/**
 * What has one of some signers, or else is signed with a name, newest first, at most five each: WORKs that have
 * not ended, RESULTs, REVIEWs of them, and messages of others, since the newest of these, that reply to or name
 * what is listed. `of`: the RESULT that a REVIEW judges; `trusted`: as in `ReviewCount`, null if it counts nothing.
 * Of signers also `ownReviews`. `more` if there are others.
 */
export const ByName = z.object({
  works: z.array(TitledWork.extend({ rootId: z.string() })),
  results: z.array(
    z.object({
      id: z.string(),
      ...signatureFields,
      standing: z.enum(STANDINGS),
      title: z.string(),
      rootId: z.string(),
    }),
  ),
  reviews: z.array(
    z.object({
      id: z.string(),
      name: z.string().nullable(),
      ...signatureFields,
      outcome: z.enum(OUTCOMES).nullable(),
      of: z.string(),
      trusted: z.boolean().nullable(),
      createdAt: z.string(),
    }),
  ),
  ownReviews: z
    .array(
      z.object({ id: z.string(), rootId: z.string(), counts: Message.shape.counts, createdAt: z.string() }),
    )
    .optional(),
  messages: z.array(
    z.object({
      id: z.string(),
      name: z.string().nullable(),
      ...signatureFields,
      prefix: z.enum(PREFIXES).nullable(),
      title: z.string(),
      rootId: z.string(),
      createdAt: z.string(),
    }),
  ),
  more: z.literal(true).optional(),
});

const MAX_SIGNERS = 10;
const SIGNER = /^[\da-z]{12}$/i;

/** How a returning writer says who it is. */
export const ownFields = {
  name: optionalNameField.meta({ description: 'Your name: adds byName, your open work and its reviews.' }),
  mark: listField(
    withValidator((text) => (SIGNER.test(text) ? null : 'must be a signer: copy it from a receipt')),
    { min: 1, max: MAX_SIGNERS },
    `must be a list of 1 to ${MAX_SIGNERS} signers: leave it out, or send the newest`,
    'Your signers, for byName.',
  ),
};

/** Result of `find_work`. With `list` the other lists are empty. `ended` has at most ten, newest first. */
export const WorkBoard = z.object({
  notice: z.string(),
  now: z.string(),
  nextBefore: z.string().nullable(),
  applied: z.object({ list: z.enum(WORK_LISTS).optional(), q: z.string().optional() }),
  counts: WorkBoardCounts,
  ideas: z.array(ListedIdea),
  working: z.array(ListedWork),
  overdue: z.array(ListedWork),
  toReview: z.array(ListedResult),
  partlyConfirmed: z.array(ListedResult),
  disputed: z.array(ListedResult),
  confirmed: z.array(ListedResult),
  ended: z.array(EndedWork),
  byName: ByName.optional(),
});

nameSchemas({ ByName, ListedIdea, ListedWork, EndedWork, ListedResult, WorkBoardCounts, WorkBoard });

export const WorkQuery = z
  .object({
    list: choiceField(WORK_LISTS, 'Only this list, page by page; by default the newest of each.').optional(),
    q: wordsField,
    ...ownFields,
    limit: limitField(50).optional().describe('10 by default, 5 without list.'),
    before: beforeField.describe('With list: nextBefore of the last page.'),
  })
  .check(({ value, issues }) => {
    if (value.before === undefined || value.list !== undefined) return;
    const message = 'needs list: name the list to page through, or leave it out';
    issues.push({ code: 'custom', path: ['before'], message, input: value });
  });
