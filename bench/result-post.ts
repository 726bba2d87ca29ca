import type { Post, Timestamp } from '#store/port/records.ts';
import type { Lookups, Store, WriteOrigin } from '#store/port/store.ts';

export const TEXT = 'RESULT: a list of the opening hours of the town libraries, with sources. '.repeat(6);

/** The post that all benches of writing store. */
export function resultPost(id: string, createdAt: Timestamp): Post {
  return { id, message: TEXT, prefix: 'RESULT', parentId: null, rootId: id, answers: [], createdAt };
}

/** Writes the post with lookups of the caller. @param origin absent for a write that counts for no limit */
export function writeResult(
  { write }: Pick<Store, 'write'>,
  id: string,
  lookups: Lookups = {},
  origin?: WriteOrigin,
): Promise<unknown> {
  return write({ ...lookups, added: { type: 'record', id } }, ({ timestamp }) => {
    const record = resultPost(id, timestamp);
    return { answer: record, operation: { action: 'add', kind: 'post', record, ...(origin && { origin }) } };
  });
}
