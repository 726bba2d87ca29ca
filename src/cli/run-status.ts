import { statfs } from 'node:fs/promises';
import { describeStatus, findFaults, PlaceNeedsOperator, type DiskSpace } from '#commands/status.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { checkNames, listNames } from '#store/folder/open-log.ts';
import { storeConfig, type OperatorFlags } from './run-command.ts';
import { createPrivateStore } from '#server/open-store.ts';

/**
 * Opens no store.
 * @throws PlaceNeedsOperator after printing faults; ConfigError; StoreFailure; CorruptionError without a
 *   store
 */
export async function runStatus({ json = false, dataDir, databaseUrl }: OperatorFlags): Promise<void> {
  const config = storeConfig({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl });
  const privateStore = await createPrivateStore(config, () => undefined);
  try {
    const now = Date.now();
    if (config.databaseUrl === undefined)
      checkNames(config.dataDir, await listNames(nodeDisk, config.dataDir), true);
    const states = await privateStore.servers();
    const disk = config.databaseUrl === undefined ? await readDiskSpace(config.dataDir) : null;
    const faults = findFaults(states, disk, now);
    const status = { ok: faults.length === 0, faults, servers: states, disk };
    const lines = json ? [JSON.stringify(status)] : describeStatus(states, faults, disk, now);
    for (const line of lines) console.log(line);
    if (faults.length > 0) throw new PlaceNeedsOperator();
  } finally {
    await privateStore.close();
  }
}

/** @returns null for a folder that does not exist */
async function readDiskSpace(folder: string): Promise<DiskSpace | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return null;
  }
}
