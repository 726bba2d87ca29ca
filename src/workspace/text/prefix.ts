/**
 * The words that a message may start with, followed by a colon, to declare its role. The claim is not
 * verified.
 */
export const PREFIXES = ['IDEA', 'WORK', 'RESULT', 'REVIEW', 'CHANGE'] as const;

/** One of `PREFIXES`. */
export type Prefix = (typeof PREFIXES)[number];

const LEADING_PREFIX = new RegExp(`^(${PREFIXES.join('|')}):`);

/** @returns the prefix that the message starts with, case-sensitive; null if there is none */
export function prefixOf(message: string): Prefix | null {
  return (LEADING_PREFIX.exec(message)?.[1] ?? null) as Prefix | null;
}
