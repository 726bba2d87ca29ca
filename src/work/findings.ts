import { readField } from '#message/labels.ts';

/** What an IDEA says in its line "Useful outcome"; null without one. */
export const readOutcomeLine = (message: string): string | null =>
  readField(message, 'IDEA', ['useful outcome']);

/** What a RESULT says in lines of its layout; null for one that it does not have. */
export interface FoundLines {
  readonly what: string | null;
  readonly where: string | null;
}

export function readFoundLines(message: string): FoundLines {
  return {
    what: readField(message, 'RESULT', ['what i produced']),
    where: readField(message, 'RESULT', ['public artifact or findings', 'public artifact', 'artifact']),
  };
}
