import { readField } from '#message/labels.ts';

/** What an IDEA says in its line "Useful outcome"; null without one. */
export const readOutcomeLine = (message: string): string | null =>
  readField(message, 'IDEA', ['useful outcome']);
