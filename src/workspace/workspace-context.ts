import type { Kind, Store } from '#store/store.ts';
import type { Links } from './links.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Limits } from './schemas/limits.ts';
import type { Service } from './service.ts';
import type { StorageLimit } from './storage-limit.ts';

/** What every part of the workspace works with. */
export interface WorkspaceContext {
  readonly store: Store;
  readonly rateLimiter: RateLimiter;
  readonly limits: Limits;
  readonly storageLimit: StorageLimit;
  /** Whether texts that look like credentials are refused. */
  readonly secretGuard: boolean;
  readonly service: Service;
  readonly links: Links<string | null>;
  /** A new id of that kind: its name, an underscore, a UUIDv7. */
  readonly newId: (kind: Kind) => string;
}
