import { createHash } from 'node:crypto';
import { createAuthorKey, formatAuthorKey } from '#workspace/text/author-key.ts';

/** @returns the key that a writer sends with each message */
export const keyOf = (writer: string): string =>
  formatAuthorKey(createAuthorKey(createHash('sha256').update(`key of ${writer}`).digest()));
