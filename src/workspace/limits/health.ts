import { LAST_TIMESTAMP } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { isAhead } from '#workspace/log/export-format.ts';
import type { StorageLimit } from './storage-limit.ts';

export interface ServiceHealth {
  /** Invariant: false if `frozen` is true or `code` is set. */
  readonly writable: boolean;
  /** Null if the query failed. */
  readonly frozen: boolean | null;
  /**
   * `storage_unavailable`: the last write failed. `storage_full`: writes work, and STORE_MAX_BYTES is
   * reached.
   */
  readonly code: 'storage_unavailable' | 'storage_full' | null;
  /** The failure of the store, worded for its operator. */
  readonly reason: string | null;
  readonly notifying: boolean;
  /** Whether the newest record is over a minute ahead of the clock, so that new ones get its time. */
  readonly clockBehind: boolean;
}

/**
 * Runs all queries in parallel, since each may take its full timeout if a database does not respond. Never
 * rejects.
 */
export async function checkHealth(
  store: Pick<Store, 'health'> & { readonly read: Pick<Store['read'], 'frozen' | 'news'> },
  storageLimit: Pick<StorageLimit, 'isReached'>,
  now: () => number,
): Promise<ServiceHealth> {
  const [{ writable, reason, notifying }, frozen, newest] = await Promise.all([
    store.health(),
    store.read.frozen().catch(() => null),
    store.read.news({}, { after: LAST_TIMESTAMP, limit: 1, maxCandidates: 1 }).catch(() => null),
  ]);
  const isFull = writable && storageLimit.isReached();
  return {
    writable: writable && !isFull && frozen !== true,
    frozen,
    code: isFull ? 'storage_full' : writable ? null : 'storage_unavailable',
    reason: writable ? null : reason,
    notifying,
    clockBehind: newest?.latest != null && isAhead(newest.latest, now()),
  };
}
