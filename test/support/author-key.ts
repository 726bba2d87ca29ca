import { createHash } from 'node:crypto';
import { createAuthorKey, formatAuthorKey, parseAuthorKey, signerOf } from '#workspace/text/author-key.ts';

/** @returns the author key that a writer sends with each message: the same one each time */
export const keyFor = (writer: string): string =>
  formatAuthorKey(createAuthorKey(createHash('sha256').update(writer).digest()));

/** @returns the signer in a thread of who sends `keyFor(writer)` */
export function signerFor(writer: string, rootId: string): string {
  const parsed = parseAuthorKey(keyFor(writer));
  if ('wrong' in parsed) throw new Error('A key that was just made cannot be read.');
  return signerOf(parsed.digits, rootId).toLowerCase();
}
