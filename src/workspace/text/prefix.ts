import { normalizeForMatching } from './invisible.ts';

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
