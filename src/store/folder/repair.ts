import { FailedMark } from './failed-mark.ts';
import { replaceFileBy, writeAll } from './fs/atomic-files.ts';
import { isError } from './fs/disk.ts';
import { LOG, readFully } from './line.ts';
import { Lock } from './lock.ts';
import { openLogFile, removeCopies, type FolderStoreOptions } from './open-log.ts';
import type { LockHost } from './host.ts';
import { StoreFailure } from '#store/port/store.ts';

const COPY_BYTES = 1024 * 1024;

/**
 * Writes the log of a folder anew after a failed sync. What can be read may be in memory only, and no later
 * sync would store it. Processes that have the folder open must be restarted.
 * @returns false if no sync has failed; then nothing was changed
 * @throws CorruptionError, StoreFailure
 */
export async function repairFolder({
  disk,
  folder,
  host,
}: Pick<FolderStoreOptions, 'disk' | 'folder'> & { readonly host: LockHost }): Promise<boolean> {
  const lock = new Lock(disk, folder, host);
  const mark = new FailedMark(disk, folder, host);
  return lock
    .runLocked(async () => {
      if ((await mark.read()) === undefined) return false;
      await removeCopies(disk, folder);
      const { file: log } = await openLogFile({ disk, folder, mustExist: true });
      try {
        const size = log.size();
        await replaceFileBy(disk, folder, LOG, async (file) => {
          for (let at = 0; at < size; at += COPY_BYTES)
            await writeAll(file, await readFully(log, at, Math.min(COPY_BYTES, size - at)));
          // Another process that repairs has replaced the lock.
          if (!(await lock.isHeld())) throw repairedElsewhere();
        }).catch((error: unknown) => {
          // That process has removed the copy too.
          throw isError(error, 'ENOENT') ? repairedElsewhere() : error;
        });
      } finally {
        await log.close();
      }
      await mark.remove();
      return true;
    })
    .finally(() => lock.release());
}

const repairedElsewhere = (): StoreFailure =>
  new StoreFailure('nothing', 'another process repairs the folder');
