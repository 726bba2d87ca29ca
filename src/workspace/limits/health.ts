import type { Store } from '#store/port/store.ts';
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
}

/**
 * Runs both queries in parallel, since each may take its full timeout if a database does not respond. Never
 * rejects.
 */
export async function checkHealth(
  store: Pick<Store, 'health'> & { readonly read: Pick<Store['read'], 'frozen'> },
  storageLimit: Pick<StorageLimit, 'isReached'>,
): Promise<ServiceHealth> {
  const [{ writable, reason, notifying }, frozen] = await Promise.all([
    store.health(),
    store.read.frozen().catch(() => null),
  ]);
  if (!writable) {
    return {
      writable,
      frozen,
      code: 'storage_unavailable',
      reason,
      notifying,
    };
  }
  const isFull = storageLimit.isReached();
  return {
    writable: !isFull && frozen !== true,
    frozen,
    code: isFull ? 'storage_full' : null,
    reason: null,
    notifying,
  };
}
