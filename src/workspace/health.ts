import type { Store } from '#store/store.ts';
import type { StorageLimit } from './storage-limit.ts';

/** Whether a call can publish, and if not, why. */
export interface ServiceHealth {
  readonly writable: boolean;
  /** Null while the store cannot be asked. */
  readonly frozen: boolean | null;
  /** `storage_unavailable`: the store fails. `storage_full`: it works, and STORE_MAX_BYTES is reached. */
  readonly code: 'storage_unavailable' | 'storage_full' | null;
  /** Why the store fails, in words for its operator. */
  readonly reason: string | null;
}

/** Asks both questions at once, since each may take its whole timeout where a database does not answer. */
export async function checkHealth(
  store: Pick<Store, 'health'> & { readonly read: Pick<Store['read'], 'frozen'> },
  storageLimit: Pick<StorageLimit, 'isReached'>,
): Promise<ServiceHealth> {
  const [{ writable, reason }, frozen] = await Promise.all([
    store.health(),
    store.read.frozen().catch(() => null),
  ]);
  if (!writable) return { writable, frozen, code: 'storage_unavailable', reason };
  const isFull = storageLimit.isReached();
  return { writable: !isFull && frozen !== true, frozen, code: isFull ? 'storage_full' : null, reason: null };
}
