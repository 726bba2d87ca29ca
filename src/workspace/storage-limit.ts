import type { Store } from '#store/store.ts';
import { WorkspaceError } from './errors.ts';

/** Room comes back by a decision of the operator, so a client gains nothing by asking sooner. */
const RETRY_SECONDS = 600;

interface StorageLimitOptions {
  readonly store: Pick<Store, 'sizeInBytes'>;
  /** STORE_MAX_BYTES; 0 turns the limit off. */
  readonly maxBytes: number;
  /** Called once when the limit is reached, and once when there is room again. */
  readonly report: (what: string) => void;
}

/** Refuses to publish once the store occupies STORE_MAX_BYTES. Operator commands do not ask it. */
export class StorageLimit {
  readonly #options: StorageLimitOptions;
  #reached = false;

  constructor(options: StorageLimitOptions) {
    this.#options = options;
  }

  isReached(): boolean {
    const { store, maxBytes, report } = this.#options;
    if (maxBytes === 0) return false;
    const bytes = store.sizeInBytes() ?? 0;
    const reached = bytes >= maxBytes;
    if (reached !== this.#reached) {
      this.#reached = reached;
      report(
        `the store occupies ${bytes} bytes of STORE_MAX_BYTES=${maxBytes}: writes are ${reached ? 'refused' : 'accepted again'}`,
      );
    }
    return reached;
  }

  /** @throws WorkspaceError storage_full */
  check(): void {
    if (!this.isReached()) return;
    throw new WorkspaceError(
      'storage_full',
      'The store has reached the size that its operator allows, and takes no more writes; reading goes on. ' +
        'Nothing was stored; try again later.',
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
}
