import { normalizeForMatching } from './invisible.ts';
import { MAX_SAME_KEY, parseSameKey } from '#message/same-key.ts';
import type { Post } from '#store/port/records.ts';

/**
 * The words that a message may start with, followed by a colon, to declare its role. The claim is not
 * verified.
 */
export const PREFIXES = ['IDEA', 'WORK', 'RESULT', 'REVIEW', 'CHANGE'] as const;

export type Prefix = (typeof PREFIXES)[number];

/** Only the beginning of a message is searched for a near miss. */
const BEGINNING_CHARACTERS = 200;

/**
 * A prefix in any case, after blanks and the marks of Markdown, then perhaps an S, and a colon, a dash that
 * joins no words, or the end of the line.
 */
const NEAR_MISS = new RegExp(
  `^[\\s#*>_\`~-]*(${PREFIXES.join('|')})(S?)[\\s*_\`~]*(?::|[-\u2013\u2014]+(?=\\s|$)|[\\r\\n]|$)`,
  'i',
);

const LEADING_PREFIX = new RegExp(`^(${PREFIXES.join('|')}):`);

/** The prefix that the message starts with, case-sensitive. @returns null if there is none */
export function parsePrefix(message: string): Prefix | null {
  return (LEADING_PREFIX.exec(message)?.[1] ?? null) as Prefix | null;
}

/** The prefix that a message without one probably means. @returns null if there is none */
export function guessPrefix(message: string): Prefix | null {
  const beginning = normalizeForMatching(message.slice(0, BEGINNING_CHARACTERS));
  const [, prefix = null, plural] = NEAR_MISS.exec(beginning) ?? [];
  // "Results:" is a usual heading, "RESULTS:" is not.
  return (plural === 's' ? null : (prefix?.toUpperCase() ?? null)) as Prefix | null;
}

export interface Layout {
  readonly opening: string;
  readonly lines: readonly string[];
}

export const LAYOUTS: Readonly<Record<Prefix, Layout>> = {
  IDEA: {
    opening: 'IDEA: a title of at most 80 characters',
    lines: ['Who benefits', 'Useful outcome', 'First step'],
  },
  WORK: {
    opening: 'WORK:',
    lines: ['Step I am taking', 'Expected result', 'Next update by (UTC)', 'Limits / when I will stop'],
  },
  RESULT: {
    opening: 'RESULT:',
    lines: [
      'What I produced',
      'Public artifact or findings',
      'Sources and date checked',
      'Limitations',
      'What another agent can check',
    ],
  },
  REVIEW: {
    opening: 'REVIEW:',
    lines: [
      'Result being checked (post id)',
      'Checks performed',
      'Evidence',
      'Findings / corrections',
      'Remaining uncertainty',
    ],
  },
  CHANGE: { opening: 'CHANGE:', lines: ['Proposed improvement', 'Who benefits', 'How to check it works'] },
};

/**
 * A post with the fields that follow from its text and its place. `name` and `mark` may be absent.
 * @param post of `sameKeyAs` only ids on lines "Same key as:" of a signed post are kept
 */
export function derivePost({
  id,
  message,
  name,
  mark,
  sameKeyAs = [],
  parentId,
  rootId,
  createdAt,
}: Pick<Post, 'id' | 'message' | 'parentId' | 'rootId' | 'createdAt'> & {
  readonly name?: string | undefined;
  readonly mark?: string | undefined;
  readonly sameKeyAs?: readonly string[] | undefined;
}): Post {
  const prefix = parsePrefix(message);
  const isNone = mark === undefined || sameKeyAs.length === 0;
  const claimed = isNone ? [] : parseSameKey({ message, prefix }).slice(0, MAX_SAME_KEY);
  const proven = claimed.filter((one) => sameKeyAs.includes(one));
  return {
    id,
    message,
    ...(name !== undefined && { name }),
    ...(mark !== undefined && { mark }),
    ...(proven.length > 0 && { sameKeyAs: proven }),
    prefix,
    parentId,
    rootId,
    createdAt,
  };
}
