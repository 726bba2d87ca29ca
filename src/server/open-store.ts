import { FolderPrivateStore } from '#private/folder-private-store.ts';
import { ownedDisk } from '#store/folder/fs/owned-disk.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { PrivateStore } from '#private/private-store.ts';
import type { Store } from '#store/port/store.ts';
import type { Config } from '#settings/config.ts';

export type StoreConfig = Pick<
  Config,
  'dataDir' | 'keysDir' | 'databaseUrl' | 'visitorSecrets' | 'visitorSecretFolder'
>;

export interface OpenOptions {
  readonly mustExist?: boolean;
  /** Whether an operator command opens the store. It keeps expired client keys, since its clock may be wrong. */
  readonly isCommand?: boolean;
}

export async function openStore(
  { dataDir: folder, keysDir: keysFolder, databaseUrl, visitorSecrets, visitorSecretFolder }: StoreConfig,
  report: (message: string) => void,
  { mustExist = false, isCommand = false }: OpenOptions = {},
): Promise<Store> {
  const clock = { now: () => Date.now() };
  if (databaseUrl === undefined)
    return openFolderStore({ folder, keysFolder, clock, report, mustExist, isCommand });
  // Imported on demand: most installations have no database.
  const { openPostgresStore } = await import('#store/postgres/postgres-store.ts');
  return openPostgresStore({ url: databaseUrl, visitorSecrets, visitorSecretFolder, report, mustExist });
}

export async function createPrivateStore(
  { dataDir: folder, keysDir: keysFolder, databaseUrl, visitorSecrets, visitorSecretFolder }: StoreConfig,
  report: (message: string) => void,
): Promise<PrivateStore> {
  const clock = { now: () => Date.now() };
  if (databaseUrl === undefined)
    return new FolderPrivateStore({ disk: ownedDisk(folder), folder, keysFolder, clock });
  const { PostgresPrivateStore } = await import('#private/postgres-private-store.ts');
  return new PostgresPrivateStore({ url: databaseUrl, visitorSecrets, visitorSecretFolder, clock, report });
}
