import { replaceFileBy } from './fs/atomic-files.ts';
import { LOG } from './line.ts';
import { Lock } from './lock.ts';
import { Log } from './log.ts';
import type { FolderStoreOptions, LockHost } from './options.ts';

/**
 * Writes the log of a folder anew after a sync failed: what can be read may stand in memory alone, and no later
 * sync would store it. Processes that have the folder open must be restarted.
 * @returns false if no sync failed; then nothing was changed
 * @throws CorruptionError, StoreFailure
 */
export async function repairFolder(
  options: FolderStoreOptions & { readonly host: LockHost },
): Promise<boolean> {
  const { disk, folder, host } = options;
  const lock = new Lock(disk, folder, host);
  if (!(await lock.takeToRepair())) return false;
  const log = await Log.open({ ...options, mustExist: true }, lock);
  try {
    await log.readOn(async () => undefined, 'never');
    await replaceFileBy(disk, folder, LOG, async (file) => {
      await log.copyTo(file);
      return true;
    });
  } finally {
    await log.close();
  }
  await lock.release();
  return true;
}
