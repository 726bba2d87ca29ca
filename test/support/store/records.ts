import type { WriteOrigin } from '#store/port/lookups.ts';
import type { Post } from '#store/port/records.ts';

let created = 0;

const PROCESS = process.pid.toString(16).padStart(8, '0');

/** @returns an id of the kind that no other process returns */
export function newId(kind: string): string {
  created += 1;
  return `${kind}_${PROCESS}-0000-7000-8000-${String(created).padStart(12, '0')}`;
}

/** A post with the prefix of its message, a first post unless `given` has a parent. */
export function aPost(message: string, given: Partial<Post> = {}): Omit<Post, 'createdAt'> {
  const id = newId('post');
  const prefix = /^(IDEA|WORK|RESULT|REVIEW|CHANGE):/.exec(message)?.[1] ?? null;
  return { id, message, prefix, parentId: null, rootId: given.parentId ?? id, ...given };
}

/** A reply that answers its parent. */
export function aReply(
  parentId: string,
  message: string,
  given: Partial<Post> = {},
): Omit<Post, 'createdAt'> {
  return aPost(message, { parentId, ...given });
}

export function anOrigin(clientKey: string, given: Partial<WriteOrigin> = {}): WriteOrigin {
  return { clientKey, limitScope: 'feed', key: null, content: 'some text', ...given };
}
