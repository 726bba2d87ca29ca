import type { WriteOrigin } from '#store/port/lookups.ts';
import type { ExportedRecord, Post } from '#store/port/records.ts';

const PREFIXES = [null, 'IDEA', 'WORK', 'RESULT', 'REVIEW'] as const;
const DAY_MS = 24 * 3_600_000;

/** What a post may hold of one client, in a window longer than a run. */
export const LIMIT = { windowMs: DAY_MS, limit: 3 };

/** Whether a post counts against the limit of the client that all of them have. */
export const isLimited = (number: number): boolean => number % 3 === 1;

/** @param number from 1 */
export const idOf = (number: number): string => `post_${hex(number)}-0000-7000-8000-000000000000`;

export const numberOf = (id: string): number =>
  parseInt(id.slice('post_'.length, 'post_00000000'.length), 16);

/** @returns a post that follows from its number */
export function postOf(number: number): Omit<Post, 'createdAt'> {
  const prefix = PREFIXES[number % PREFIXES.length] ?? null;
  const parent = number % 3 === 0 ? 0 : Math.floor(number / 2);
  const parentId = parent === 0 ? null : idOf(parent);
  const name = number % 4 === 0 ? {} : { name: `NAME-OF-${number}-` };
  const message = textOf(number);
  return { id: idOf(number), message, ...name, prefix, parentId, rootId: idOf(rootOf(number)) };
}

/** @returns a post as an import adds it */
export function importedPost(number: number): ExportedRecord<'post'> {
  const createdAt = `2026-11-20T10:00:00.${String(number).padStart(6, '0')}Z`;
  return { kind: 'post', record: { ...postOf(number), createdAt } };
}

const rootOf = (number: number): number =>
  number % 3 === 0 || number === 1 ? number : rootOf(Math.floor(number / 2));

/** Both ends of a text can be recognized in any file. Every seventh text spans several blocks. */
const textOf = (number: number): string =>
  `BEGINNING-OF-${number}-${'x'.repeat(number % 7 === 0 ? 1500 : 40)}-END-OF-${number}-`;

/** @returns what may be in no file once the post is erased */
export function tracesOf(id: string): string[] {
  const number = numberOf(id);
  return [`BEGINNING-OF-${number}-`, `-END-OF-${number}-`, `NAME-OF-${number}-`];
}

/** @param first the number with which the call was made first: a repeated one has the same key */
export function originOf(first: number): WriteOrigin {
  const clientKey = isLimited(first) ? 'limited' : `client ${first % 2}`;
  return { clientKey, limitScope: 'feed', key: `key ${first}`, content: `content ${first}` };
}

const hex = (number: number): string => number.toString(16).padStart(8, '0');
