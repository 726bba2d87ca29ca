import type {
  LookupResult,
  Lookup,
  RecentWriteAgesLookup,
  RecordLookup,
  WriteOrigin,
} from '#store/port/lookups.ts';
import type {
  ExportedRecord,
  Kind,
  ModerationEntry,
  Post,
  Records,
  CountedRecord,
} from '#store/port/records.ts';
import type { Store, WriteOperation } from '#store/port/store.ts';
import { importEntry, type ImportOutcome } from '#workspace/log/import-entry.ts';
import { moderate, setFrozen } from '#workspace/moderation/operator-writes.ts';
import { aPost } from './records.ts';

/** The lookups that a write which adds this record needs. */
export function lookupsOf(record: object & { id: string }): Record<string, RecordLookup> {
  const { parentId, projectId } = record as { parentId?: string | null; projectId?: string };
  const parent = parentId ?? projectId;
  return {
    added: { type: 'record', id: record.id },
    ...(parent === undefined ? {} : { parent: { type: 'record', id: parent } }),
  };
}

/** Adds a record with the timestamp that the store gives it. */
export function addRecord<K extends Kind>(
  store: Store,
  kind: K,
  record: Omit<Records[K], 'createdAt'>,
  origin?: WriteOrigin,
): Promise<CountedRecord<K>> {
  return store.write(lookupsOf(record as Records[K]), ({ timestamp }) => {
    const added = { ...record, createdAt: timestamp } as unknown as Records[K];
    return {
      result: { record: added, children: 0 },
      operation: { action: 'add', kind, record: added, origin } as WriteOperation,
    };
  });
}

/** Adds a first post. */
export function addPost(store: Store, message: string, origin?: WriteOrigin): Promise<CountedRecord<'post'>> {
  return addRecord(store, 'post', aPost(message), origin);
}

/**
 * Adds a first post of a client, unless that has added as many as the limit within the window.
 * @throws Error the limit is reached
 */
export function addLimitedPost(
  store: Store,
  message: string,
  origin: WriteOrigin,
  { windowMs, limit }: { windowMs: number; limit: number },
): Promise<CountedRecord<'post'>> {
  const post = aPost(message);
  const lookups = {
    added: { type: 'record', id: post.id },
    ages: { type: 'recentWriteAges', by: origin, windowMs, limit },
  } as const;
  return store.write(lookups, ({ ages, timestamp }) => {
    if (ages.length >= limit) throw new Error('the limit is reached');
    const record = { ...post, createdAt: timestamp };
    return { result: { record, children: 0 }, operation: { action: 'add', kind: 'post', record, origin } };
  });
}

/** Adds posts in order, as writes that are submitted at once. */
export function addPosts(
  store: Store,
  posts: readonly Omit<Records['post'], 'createdAt'>[],
): Promise<CountedRecord<'post'>[]> {
  return Promise.all(posts.map((post) => addRecord(store, 'post', post)));
}

export const hide = (store: Store, id: string, reason = 'a test'): Promise<boolean> =>
  moderate(store, 'hide', id, reason);

export const unhide = (store: Store, id: string, reason = 'a test'): Promise<boolean> =>
  moderate(store, 'unhide', id, reason);

export const erase = (store: Store, id: string, reason = 'a test'): Promise<boolean> =>
  moderate(store, 'erase', id, reason);

export const freeze = (store: Store): Promise<boolean> => setFrozen(store, 'freeze');

export const thaw = (store: Store): Promise<boolean> => setFrozen(store, 'thaw');

/** Records of one batch of an import. */
export const IMPORTED_AT_ONCE = 500;

/** Imports entries in order, as writes that are submitted at once. */
export function importEntries(
  store: Store,
  entries: readonly (ExportedRecord | ModerationEntry)[],
): Promise<ImportOutcome[]> {
  return Promise.all(entries.map((entry) => importEntry(store, entry)));
}

/** Imports posts, in their order. */
export const importPosts = (store: Store, posts: readonly Post[]): Promise<ImportOutcome[]> =>
  importEntries(
    store,
    posts.map((record) => ({ kind: 'post', record })),
  );

/** @returns the answer that a write gets to a lookup */
export function lookUp<const L extends Lookup>(store: Store, lookup: L): Promise<LookupResult<L>> {
  return store.write({ lookup }, (found) => ({ result: found.lookup }));
}

/** @returns the id that an idempotency key belongs to, and whether its content is the same */
export async function idempotentHit(
  store: Store,
  kind: Kind,
  origin: WriteOrigin,
  windowMs: number,
): Promise<{ id: string; sameContent: boolean } | undefined> {
  const hit = await lookUp(store, { type: 'idempotentHit', kind, origin, windowMs });
  return hit && { id: hit.id, sameContent: hit.sameContent };
}

export const recentDuplicate = (
  store: Store,
  kind: Kind,
  origin: WriteOrigin,
  windowMs: number,
): Promise<string | undefined> => lookUp(store, { type: 'recentDuplicate', kind, origin, windowMs });

/** @returns the ages of the newest writes, as a write sees them */
export const recentWriteAges = (
  store: Store,
  by: RecentWriteAgesLookup['by'],
  windowMs: number,
  limit: number,
): Promise<readonly number[]> => lookUp(store, { type: 'recentWriteAges', by, windowMs, limit });
