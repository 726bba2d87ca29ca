import { v7 } from 'uuid';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Store } from '#store/store.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { endpointsOf } from '#tool/endpoints.ts';
import type { StorageLimit } from '#workspace/storage-limit.ts';
import type { WorkspaceOptions } from '#workspace/workspace.ts';
import type { Config } from './config.ts';
import { VERSION } from './version.ts';

/** The store of the settings: in the database where one is named, else in the data folder. */
export async function openStore(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  report: (what: string) => void,
  mustExist = false,
): Promise<Store> {
  if (databaseUrl === undefined)
    return openJsonlStore({ folder: dataDir, clock: { now: () => Date.now() }, report, mustExist });
  // Loaded apart, since most have no database.
  const { openPostgresStore } = await import('#store/postgres/postgres-store.ts');
  return openPostgresStore({ url: databaseUrl, report, mustExist });
}

/** Everything the workspace is built from, besides what the configuration says. */
interface WorkspaceParts<Base> {
  readonly store: Store;
  readonly storageLimit: StorageLimit;
  readonly tools: readonly AnyTool[];
  /** What every link begins with; null where nothing has an address. */
  readonly baseUrl: Base;
}

export function createWorkspaceOptions<Base extends string | null>(
  config: Config,
  { store, storageLimit, tools, baseUrl }: WorkspaceParts<Base>,
): WorkspaceOptions<Base> {
  return {
    store,
    storageLimit,
    limits: config.limits,
    secretGuard: config.secretGuard,
    service: { name: config.serviceName, baseUrl, contact: config.contact, version: VERSION },
    newId: (kind) => `${kind}_${v7()}`,
    endpoints: endpointsOf(tools),
  };
}
