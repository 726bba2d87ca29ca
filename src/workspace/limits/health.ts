import { LAST_TIMESTAMP } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { isAhead } from '#workspace/log/export-format.ts';
import type { StorageLimit } from './storage-limit.ts';

export type ServiceHealth = Awaited<ReturnType<typeof checkHealth>>;

/**
 * Runs all queries in parallel, because each may take its full timeout if a database does not respond. It
 * never rejects.
 */
export async function checkHealth(
  store: Pick<Store, 'health'> & { readonly read: Pick<Store['read'], 'frozen' | 'news'> },
  storageLimit: Pick<StorageLimit, 'isReached'>,
  now: () => number,
) {
  const [{ writable, reason, notifying }, frozen, newest] = await Promise.all([
    store.health(),
    store.read.frozen().catch(() => null),
    store.read.news({}, { after: LAST_TIMESTAMP, limit: 1, maxCandidates: 1 }).catch(() => null),
  ]);
  const isFull = writable && storageLimit.isReached();
  const code = isFull ? 'storage_full' : writable ? null : 'storage_unavailable';
  return {
    /** Invariant: false if `frozen` is true or `code` is set. */
    writable: writable && !isFull && frozen !== true,
    /** Null if the query failed. */
    frozen,
    /** `storage_unavailable`: the last write failed. `storage_full`: STORE_MAX_BYTES is reached. */
    code,
    /** The failure of the store, in words for the operator. */
    reason: writable ? null : reason,
    notifying,
    /** Whether the newest record is more than a minute ahead of the clock, so new ones follow its time. */
    clockBehind: newest?.latest != null && isAhead(newest.latest, now()),
  };
}
