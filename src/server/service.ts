import { v7 } from 'uuid';
import { createMcpHandlers, type McpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import type { PrivateStore } from '#private/private-store.ts';
import type { Toolset, AnyTool } from '#tool/define-tool.ts';
import { RandomPool } from '#runtime/random-pool.ts';
import type { Store } from '#store/port/store.ts';
import { listEndpoints } from '#tool/route.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import type { Mirror } from '#workspace/service/mirror.ts';
import { StorageLimit } from '#workspace/limits/storage-limit.ts';
import type { WorkspaceStore } from '#workspace/publishing/workspace-context.ts';
import { createAuthorKey, KEY_BYTES } from '#workspace/text/author-key.ts';
import { createWorkspace } from '#workspace/workspace.ts';
import { ConfigError, VERSION, type Config } from '#settings/config.ts';
import { warnBy, type Logger } from './logger.ts';
import { openStore } from './open-store.ts';

const NO_VISITOR_SECRET =
  'neither VISITOR_SECRET_DIR nor VISITOR_SECRET is set, so anyone who can read the database or its ' +
  'backups can find out which network wrote what; see docs/operations.md';

export type ServiceStore = WorkspaceStore & Pick<Store, 'sizeInBytes'>;

/** Stores that are already open. */
export interface OpenStores {
  readonly store: Store;
  readonly privateStore: PrivateStore;
  /** Set if the stores mirror another service. The server then refuses writes. */
  readonly mirror?: Mirror | undefined;
  readonly isExample?: boolean | undefined;
}

/** The parts of a server that do not depend on its base URL. */
interface ServerParts extends Omit<OpenStores, 'store'> {
  readonly config: Config;
  readonly logger: Logger;
  readonly store: ServiceStore;
  readonly tools: readonly AnyTool[];
}

export async function openServerStore(config: Config, logger: Logger): Promise<Store> {
  const store = await openStore(config, warnBy(logger));
  if (
    config.databaseUrl !== undefined &&
    config.visitorSecrets === undefined &&
    config.visitorSecretFolder === undefined
  )
    logger.warn(NO_VISITOR_SECRET);
  return store;
}

/**
 * Returns the store unless it mirrors another service, because a record that is written here would end the
 * mirror.
 * @throws ConfigError for a mirror, after closing its store
 */
export async function requireOwnStore(
  store: Store,
  privateStore: Pick<PrivateStore, 'readMirrorPosition'>,
): Promise<Store> {
  const position = await privateStore.readMirrorPosition();
  if (position === undefined) return store;
  await store.close();
  throw new ConfigError(
    `This store is a mirror of ${position.origin}: serve it with porchlight mirror, or name another store.`,
  );
}

/** @param baseUrl the beginning of every link; null without links */
export function createService<Base extends string | null>(
  { config, logger, store, privateStore, tools, mirror, isExample }: ServerParts,
  baseUrl: Base,
) {
  const storageLimit = new StorageLimit({ store, maxBytes: config.storeMaxBytes, report: warnBy(logger) });
  const randomOfIds = new RandomPool(16);
  const randomOfKeys = new RandomPool(KEY_BYTES);
  const workspace = createWorkspace({
    store,
    privateStore,
    storageLimit,
    limits: config.limits,
    secretGuard: config.secretGuard,
    service: {
      name: config.serviceName,
      baseUrl,
      contact: config.contact,
      version: VERSION,
      mirror,
      isExample,
    },
    newId: (kind) => `${kind}_${v7({ random: randomOfIds.next() })}`,
    newAuthorKey: () => createAuthorKey(randomOfKeys.next()),
    now: () => Date.now(),
    endpoints: listEndpoints(tools),
  });
  const gate = new ReadGate({
    // Reads of a folder use this event loop; reads of a database use another process.
    atOnce: config.databaseUrl === undefined ? 2 : 6,
    onRefused: () => {
      logger.warn('refused a read from a network with too many at once; /metrics counts refusals');
    },
  });
  const resultCache = new ResultCache({ workspace, gate });
  store.watch(({ action }) => {
    // Otherwise erased texts would stay in memory until the next read.
    if (action === 'erase') resultCache.clear();
  });
  const createHandlers = (toolset: Toolset): McpHandlers =>
    createMcpHandlers({
      tools,
      toolset,
      workspace,
      resultCache,
      report: (error) => {
        workspace.refusals.count(error);
        if (error.cause !== undefined) logger.error({ err: error.cause }, 'a tool failed');
      },
    });
  return { workspace, resultCache, storageLimit, createHandlers };
}
