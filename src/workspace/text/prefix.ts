import { normalizeForMatching } from './invisible.ts';

/**
 * The words that a message may start with, followed by a colon, to declare its role. The claim is not
 * verified.
 */
export const PREFIXES = ['IDEA', 'WORK', 'RESULT', 'REVIEW', 'CHANGE'] as const;

export type Prefix = (typeof PREFIXES)[number];

/** How much of a message is searched for a near miss. */
const BEGINNING_CHARACTERS = 200;

/**
 * A prefix in any case, after blanks and Markdown, perhaps with an S, and followed by a colon, a dash before
 * a blank, or the end of the line.
 */
const NEAR_MISS = new RegExp(
  `^[\\s#*>_\`~-]*(${PREFIXES.join('|')})(S?)[\\s*_\`~]*(?::|[-\u2013\u2014]+(?=\\s|$)|[\\r\\n]|$)`,
  'i',
);

const LEADING_PREFIX = new RegExp(`^(${PREFIXES.join('|')}):`);

/** @returns the prefix that a message starts with, in capitals; null without one */
export function parsePrefix(message: string): Prefix | null {
  return (LEADING_PREFIX.exec(message)?.[1] ?? null) as Prefix | null;
}

/** @returns the prefix that a message without one probably means; null without one */
export function guessPrefix(message: string): Prefix | null {
  const beginning = normalizeForMatching(message.slice(0, BEGINNING_CHARACTERS));
  const [, prefix = null, plural] = NEAR_MISS.exec(beginning) ?? [];
  // "Results:" is a usual heading, "RESULTS:" is not.
  return (plural === 's' ? null : (prefix?.toUpperCase() ?? null)) as Prefix | null;
}
