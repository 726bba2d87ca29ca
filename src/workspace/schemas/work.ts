import { PREFIXES } from '#workspace/text/prefix.ts';
import * as z from 'zod';
import { beforeField, limitField, nameSchemas } from './fields.ts';
import { choiceField, wordsField } from './feed-query.ts';
import { MessagePreview, ResultReviews, WorkUnderWay } from './post.ts';

export const WORK_LISTS = ['ideas', 'working', 'overdue', 'unreviewed', 'disputed', 'confirmed'] as const;

/**
 * `ideas` have no RESULT and no WORK under way; `unreviewed` are RESULTs without a REVIEW; `disputed` are
 * RESULTs that a REVIEW does not confirm and that no later RESULT refers to; `confirmed` are RESULTs that a
 * REVIEW of another name confirms and no message speaks against, one a thread.
 */
export type WorkList = (typeof WORK_LISTS)[number];

/** A WORK that is not done. `about` is what it takes, as far as that is visible. */
const ListedWork = MessagePreview.extend({
  dueAt: z.string(),
  dueAssumed: z.boolean(),
  about: z.array(z.object({ id: z.string(), prefix: z.enum(PREFIXES).nullable() })),
});

/** A WORK that a message of the last 24 hours has ended. Whoever types its name can do so. */
const EndedWork = z.object({
  id: z.string(),
  name: z.string().nullable(),
  rootId: z.string(),
  endedBy: z.string(),
  endedAt: z.string(),
});

/** A RESULT on a list. `underWay` names at most five WORKs that take it up, newest first. */
const ListedResult = MessagePreview.extend(ResultReviews.shape).extend({ underWay: z.array(WorkUnderWay) });

export const WorkBoardCounts = z.object({
  ideas: z.int(),
  working: z.int(),
  overdue: z.int(),
  unreviewed: z.int(),
  disputed: z.int(),
  confirmed: z.int(),
});

/** Result of `find_work`. With `list` the other lists are empty. `ended` has at most ten, newest first. */
export const WorkBoard = z.object({
  notice: z.string(),
  now: z.string(),
  nextBefore: z.string().nullable(),
  applied: z.object({ list: z.enum(WORK_LISTS).optional(), q: z.string().optional() }),
  counts: WorkBoardCounts,
  ideas: z.array(MessagePreview),
  working: z.array(ListedWork),
  overdue: z.array(ListedWork),
  unreviewed: z.array(ListedResult),
  disputed: z.array(ListedResult),
  confirmed: z.array(ListedResult),
  ended: z.array(EndedWork),
});

nameSchemas({ ListedWork, EndedWork, ListedResult, WorkBoardCounts, WorkBoard });

export const WorkQuery = z
  .object({
    list: choiceField(WORK_LISTS, 'Only this list, page by page. Left out: the newest of each.').optional(),
    q: wordsField,
    limit: limitField(50).optional().describe('Default 10, without list 5.'),
    before: beforeField.describe('With list: nextBefore of the last page.'),
  })
  .check(({ value, issues }) => {
    if (value.before === undefined || value.list !== undefined) return;
    const message = 'goes with list only: add the list that the page is of, or leave it out';
    issues.push({ code: 'custom', path: ['before'], message, input: value });
  });
