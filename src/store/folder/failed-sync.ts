import { join } from 'node:path';
import { parseJson } from '#runtime/json.ts';
import { StoreFailure } from '#store/port/store.ts';
import { readWhole, removeFile, replaceFileBy, writeAll } from './fs/atomic-files.ts';
import { CorruptionError, type Disk, isError } from './fs/disk.ts';
import { isOtherBoot, type LockHost } from './host.ts';
import { LOG, readFully, WRITE_START } from './line.ts';
import { Lock } from './lock.ts';
import { type FolderStoreOptions, openLogFile, removeCopies } from './open-log.ts';

const FLAG = 'failed';

interface Content {
  /** The boot id of the machine; empty if unknown. After a restart only what is stored can be read. */
  readonly boot: string;
  /** Bytes of the log from this offset on may be lost, although they can still be read. */
  readonly from: number;
}

export const SYNC_FAILED =
  'the disk failed to store a write, and what can be read may be lost; run `porchlight repair`, then ' +
  'restart every process that has the folder open';

/** For a sync that is refused to this process. The disk has not failed, so other processes continue. */
export const SYNC_REFUSED =
  "this process is not permitted to sync files (for example under Node's permission model, or in a " +
  'cloud-synced folder); lift the restriction or use another file system';

/**
 * A file that marks the folder after a failed sync. `porchlight repair` removes it once it has rewritten the
 * log. The file is not synced: the disk fails, and after a restart of the machine the flag means nothing.
 */
export class FailureFlag {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #path: string;
  readonly #boot: string;

  constructor(disk: Disk, folder: string, { boot }: Pick<LockHost, 'boot'>) {
    this.#disk = disk;
    this.#folder = folder;
    this.#path = join(folder, FLAG);
    this.#boot = boot;
  }

  /**
   * @returns the offset from which the log may be lost; Infinity if the flag names none; undefined without a
   *   flag, or if the machine has restarted since
   * @throws StoreFailure if the flag cannot be read
   */
  async read(): Promise<number | undefined> {
    if ((await this.#disk.status(this.#path)) === undefined) return undefined;
    const bytes = await readWhole(this.#disk, this.#path).catch((error: unknown) => {
      // A link, a folder, a pipe or a device has its name.
      if (error instanceof CorruptionError) return Buffer.alloc(0);
      const reason = 'the file that records a failed sync cannot be read';
      throw new StoreFailure('nothing', reason, { cause: error });
    });
    if (bytes === undefined) return undefined;
    const { boot, from } = (parseJson(bytes.toString()) ?? {}) as Partial<Content>;
    // A crash of the machine may leave an empty file.
    if (typeof boot !== 'string' || typeof from !== 'number') return Infinity;
    return isOtherBoot(boot, this.#boot) ? undefined : from;
  }

  /** Removes a flag from before a restart of the machine. @throws StoreFailure for any other flag */
  async clear(): Promise<void> {
    if ((await this.#disk.status(this.#path)) === undefined) return;
    if ((await this.read()) !== undefined) throw new StoreFailure('nothing', SYNC_FAILED);
    await this.remove();
  }

  async write(from: number): Promise<void> {
    const content: Content = { boot: this.#boot, from: Math.min(from, (await this.read()) ?? Infinity) };
    const bytes = Buffer.from(JSON.stringify(content));
    await replaceFileBy(this.#disk, this.#folder, FLAG, (file) => writeAll(file, bytes), { isSynced: false });
  }

  async remove(): Promise<void> {
    await removeFile(this.#disk, this.#path);
    await this.#disk.syncFolder(this.#folder);
  }
}

const COPY_BYTES = 1024 * 1024;

/**
 * Rewrites the log of a folder after a failed sync: what can be read may be only in memory, and no later sync
 * would store it. Processes that have the folder open must be restarted.
 * @returns false if no sync has failed, so that nothing was changed
 * @throws CorruptionError, StoreFailure
 */
export async function repairFolder({
  disk,
  folder,
  host,
}: Pick<FolderStoreOptions, 'disk' | 'folder' | 'host'>): Promise<boolean> {
  const lock = new Lock(disk, folder, host);
  const flag = new FailureFlag(disk, folder, host);
  try {
    return await lock.runLocked(async () => {
      if ((await flag.read()) === undefined) return false;
      await removeCopies(disk, folder);
      const { file: log, isWritable } = await openLogFile({ disk, folder, mustExist: true });
      try {
        if (!isWritable) throw new StoreFailure('nothing', 'only a user who can write the log can repair it');
        // A fence: lines that a replaced holder still appends name the wrong byte.
        await writeAll(log, WRITE_START);
        const size = log.size();
        await replaceFileBy(disk, folder, LOG, async (file) => {
          for (let offset = 0; offset < size; offset += COPY_BYTES)
            await writeAll(file, await readFully(log, offset, Math.min(COPY_BYTES, size - offset)));
          // Another process that is repairing the folder has replaced the lock.
          if (!(await lock.isHeld())) throw repairedElsewhere();
        }).catch((error: unknown) => {
          // Such a process also removes the copy.
          throw isError(error, 'ENOENT') ? repairedElsewhere() : error;
        });
      } finally {
        await log.close();
      }
      await flag.remove();
      return true;
    });
  } finally {
    await lock.release();
  }
}

const repairedElsewhere = (): StoreFailure =>
  new StoreFailure('nothing', 'another process is repairing the folder');
