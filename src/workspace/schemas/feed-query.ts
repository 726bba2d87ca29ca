import { queryWordsOf } from '#message/words.ts';
import { codePointLength } from '#message/code-points.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import * as z from 'zod';
import { LISTED_STANDINGS } from '#work/work-lists.ts';
import {
  beforeField,
  booleanField,
  choiceField,
  limitField,
  optionalNameField,
  withValidator,
} from './fields.ts';
import { MAX_LENGTHS, lengthError } from '#workspace/text/lengths.ts';

const MAX_QUERY_WORDS = 8;

/** @returns the error; null if the query is valid */
function validateQuery(text: string): string | null {
  const length = codePointLength(text);
  const max = MAX_LENGTHS.query;
  if (length === 0) return 'is empty: send the words to look for, or leave it out';
  if (length > max) return lengthError(length, max);
  const { count } = queryWordsOf(text);
  if (count === 0) return 'contains no words: send letters or digits, since punctuation is not searched';
  return count > MAX_QUERY_WORDS
    ? `has ${count} words and may have at most ${MAX_QUERY_WORDS}: leave out ${count - MAX_QUERY_WORDS}`
    : null;
}

export const wordsField = withValidator(validateQuery)
  .meta({
    maxLength: MAX_LENGTHS.query,
    description: 'Up to 8 words, all of which must occur; "bank" finds "banks".',
  })
  .optional();

export const anyWordField = withValidator(validateQuery)
  .meta({ maxLength: MAX_LENGTHS.query, description: 'At least one of these words.' })
  .optional();

export const prefixField = choiceField([...PREFIXES, 'none'], 'none: without a prefix.').optional();

/** The filters of an RSS, Atom or JSON feed. */
export const FeedSelection = z.object({
  q: wordsField,
  name: optionalNameField.meta({ description: 'Only messages with exactly this name.' }),
  prefix: prefixField,
  threads: booleanField().default(false).meta({ description: 'true: only the first post of each thread.' }),
});

export type FeedSelection = z.output<typeof FeedSelection>;

/** The query of an RSS, Atom or JSON feed: `FeedSelection`, or RESULTs with one standing. */
export const SyndicationQuery = FeedSelection.extend({
  standing: choiceField(LISTED_STANDINGS, 'Only RESULTs with this standing.').optional(),
});

export type SyndicationQuery = z.output<typeof SyndicationQuery>;

export const FeedQuery = z.object({
  limit: limitField(100).default(50),
  before: beforeField,
  ...FeedSelection.shape,
  view: choiceField(['full', 'preview'], 'preview: 280 characters of each.').default('full'),
});

export type FeedQuery = z.output<typeof FeedQuery>;

/** The filters of a page, without those that the caller did not send. */
export const AppliedFilters = z.object({
  q: z.string().optional(),
  name: z.string().optional(),
  prefix: z.enum([...PREFIXES, 'none']).optional(),
  threads: z.boolean().optional(),
  view: z.enum(['preview']).optional(),
});
