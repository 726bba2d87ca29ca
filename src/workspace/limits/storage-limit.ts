import type { Store } from '#store/port/store.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

/** Only the operator can free space, so an earlier retry is useless. */
const RETRY_SECONDS = 600;

interface StorageLimitOptions {
  readonly store: Pick<Store, 'sizeInBytes'>;
  /** STORE_MAX_BYTES; 0 turns the limit off. */
  readonly maxBytes: number;
  /** Logs a message: once when the limit is reached, and once when the store is below it again. */
  readonly report: (message: string) => void;
}

/** Limits the size of the store to STORE_MAX_BYTES. Operator commands may exceed it. */
export class StorageLimit {
  readonly #options: StorageLimitOptions;
  #reached = false;

  constructor(options: StorageLimitOptions) {
    this.#options = options;
  }

  /** Uses the last measured size; false before the first measurement. Logs a change since the last call. */
  isReached(): boolean {
    const { store, maxBytes, report } = this.#options;
    if (maxBytes === 0) return false;
    const bytes = store.sizeInBytes() ?? 0;
    const reached = bytes >= maxBytes;
    if (reached !== this.#reached) {
      this.#reached = reached;
      const outcome = reached ? 'refused' : 'accepted again';
      report(`the store occupies ${bytes} bytes of STORE_MAX_BYTES=${maxBytes}: writes are ${outcome}`);
    }
    return reached;
  }

  /** @returns the error for a publication; undefined below the limit */
  reached(): WorkspaceError | undefined {
    if (!this.isReached()) return undefined;
    return new WorkspaceError(
      'storage_full',
      'The store has reached its maximum size and refuses writes; reads still work. ' +
        'Nothing was stored; try again later.',
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
}
