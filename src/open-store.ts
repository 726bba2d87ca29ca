import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Store } from '#store/store.ts';
import type { Config } from './config.ts';

/**
 * Opens the PostgreSQL store if the settings name a database, otherwise the one in the data folder.
 * @param mustExist rejects instead of creating a store
 */
export async function openStore(
  {
    dataDir,
    keysDir,
    databaseUrl,
    visitorSecrets,
  }: Pick<Config, 'dataDir' | 'keysDir' | 'databaseUrl' | 'visitorSecrets'>,
  report: (message: string) => void,
  mustExist = false,
): Promise<Store> {
  if (databaseUrl === undefined)
    return openJsonlStore({
      folder: dataDir,
      keysFolder: keysDir,
      clock: { now: () => Date.now() },
      report,
      mustExist,
    });
  // Imported on demand: most installations have no database.
  const { openPostgresStore } = await import('#store/postgres/postgres-store.ts');
  return openPostgresStore({ url: databaseUrl, visitorSecrets, report, mustExist });
}
