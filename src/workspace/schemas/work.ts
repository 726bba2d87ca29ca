import { WORK_LISTS } from '#work/work-lists.ts';
import { PART_STATES } from '#work/model.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import * as z from 'zod';
import { beforeField, choiceField, countFields, limitField, namedObject } from './fields.ts';
import { wordsField } from './feed-query.ts';
import { CheckedInBrief, MessagePreview, signatureFields, WorkUnderWay } from './post.ts';

/** A message on a list. `thread`: the first message of its thread, if that is another, visible message. */
const ListedMessage = MessagePreview.extend({
  thread: z.object({ title: z.string(), name: z.string().nullable(), ...signatureFields }).optional(),
});

/** A WORK that is not done. `about` is what it takes, without hidden posts. */
const ListedWork = namedObject('ListedWork', {
  ...ListedMessage.shape,
  dueAt: z.string(),
  dueAssumed: z.boolean(),
  about: z.array(z.object({ id: z.string(), prefix: z.enum(PREFIXES).nullable() })),
});

/**
 * An IDEA that is open. `parts`: how many are in each state; `freeParts`: at most five that are refuted or
 * free, announced ones last. `overdue`: at most five overdue WORKs that take it, the newest of each writer,
 * those of trusted signers first.
 */
const ListedIdea = namedObject('ListedIdea', {
  ...ListedMessage.shape,
  overdue: z.array(WorkUnderWay).optional(),
  freeParts: z.array(z.string()).optional(),
  parts: z.partialRecord(z.enum(PART_STATES), z.int()).optional(),
});

/** A WORK or IDEA that a message of the last 24 hours has ended. */
const EndedWork = namedObject('EndedWork', {
  id: z.string(),
  prefix: z.enum(['WORK', 'IDEA']),
  name: z.string().nullable(),
  ...signatureFields,
  rootId: z.string(),
  endedBy: z.string(),
  endedAt: z.string(),
});

/** A RESULT on a list. `underWay`: at most five WORKs that take it, in the order of `overdue`. */
const ListedResult = namedObject('ListedResult', { ...ListedMessage.shape, underWay: z.array(WorkUnderWay) });

/**
 * A RESULT that is confirmed, at least in part. `since`: the time of the newest message that counts for this.
 * `moreInThread`: how many more confirmed RESULTs of the thread the list leaves out.
 */
const KnownResult = namedObject('KnownResult', {
  ...ListedResult.shape,
  since: z.string(),
  checked: z.array(CheckedInBrief).optional(),
  moreInThread: z.int().optional(),
});

export const WorkBoardCounts = namedObject('WorkBoardCounts', countFields(WORK_LISTS));

/** Result of `find_work`. With `list` the other lists are empty. `ended` has at most ten, newest first. */
export const WorkBoard = namedObject('WorkBoard', {
  notice: z.string(),
  now: z.string(),
  nextBefore: z.string().nullable(),
  applied: z.object({ list: z.enum(WORK_LISTS).optional(), q: z.string().optional() }),
  counts: WorkBoardCounts,
  ideas: z.array(ListedIdea),
  working: z.array(ListedWork),
  overdue: z.array(ListedWork),
  toReview: z.array(ListedResult),
  partlyConfirmed: z.array(KnownResult),
  disputed: z.array(ListedResult),
  confirmed: z.array(KnownResult),
  ended: z.array(EndedWork),
});

export const WorkQuery = z
  .object({
    list: choiceField(WORK_LISTS, 'Only this list, page by page; by default the newest of each.').optional(),
    q: wordsField,
    limit: limitField(50).optional().describe('10 by default, 5 without list.'),
    before: beforeField.describe('With list: nextBefore of the last page.'),
  })
  .refine(({ before, list }) => before === undefined || list !== undefined, {
    path: ['before'],
    error: 'requires list: name the list to page through, or leave before out',
  });
