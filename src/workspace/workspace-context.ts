import type { Kind, Store } from '#store/store.ts';
import type { Links } from './protocol.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Limits } from './schemas/limits.ts';
import type { StorageLimit } from './storage-limit.ts';

/** How the deployment calls itself. `Service<string>` is one that is reached over HTTP. */
export interface Service<Base extends string | null = string | null> {
  readonly name: string;
  /** Without a slash at its end; every link begins with it. Null where no HTTP server is known: there are no links. */
  readonly baseUrl: Base;
  readonly contact: string | null;
  /** Of the program. */
  readonly version: string;
}

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
