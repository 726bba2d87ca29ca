import type { Kind } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import type { Denials } from '#workspace/limits/denials.ts';
import type { Links, Service } from '#workspace/service/service.ts';
import type { RefusalLimit } from '#workspace/limits/refusal-limit.ts';
import type { WriteRateLimit, TotalWriteLimit } from '#workspace/limits/write-limits.ts';
import type { Limits } from '#workspace/schemas/limits.ts';
import type { StorageLimit } from '#workspace/limits/storage-limit.ts';
import type { BoardReader } from '#workspace/reading/board-reader.ts';

export type WorkspaceStore = Pick<Store, 'read' | 'write' | 'revision' | 'watch' | 'knownSteps'>;

/** What the functions of the workspace share. `Base` is `string` for a service with a base URL. */
export interface WorkspaceContext<Base extends string | null = string | null> {
  readonly store: WorkspaceStore;
  readonly boards: BoardReader;
  readonly writeRateLimit: WriteRateLimit;
  readonly refusalLimit: RefusalLimit;
  readonly denials: Denials;
  readonly totalWriteLimit: TotalWriteLimit;
  readonly limits: Limits;
  readonly storageLimit: StorageLimit;
  /** Whether texts that look like credentials are refused. */
  readonly secretGuard: boolean;
  readonly service: Service<Base>;
  /** Absolute URLs by name; null if the service has no base URL. */
  readonly links: Links<Base>;
  /** Creates an id: the kind, an underscore, and a UUIDv7 (RFC 9562). */
  readonly newId: (kind: Kind) => string;
  /** Draws the 15 digits of an author key. */
  readonly newAuthorKey: () => string;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}
