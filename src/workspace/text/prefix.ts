/** What a message may begin with to say what it is. Nothing about it is checked. */
export const PREFIXES = ['IDEA', 'WORK', 'RESULT', 'REVIEW', 'CHANGE'] as const;

export type Prefix = (typeof PREFIXES)[number];

const BEGINNING = new RegExp(`^(${PREFIXES.join('|')}):`);

export function prefixOf(message: string): Prefix | null {
  return (BEGINNING.exec(message)?.[1] ?? null) as Prefix | null;
}
