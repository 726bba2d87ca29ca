import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseJson } from '#runtime/parse-json.ts';
import { StoreFailure } from '#store/port/store.ts';
import { readWhole, removeFile, TEMPORARY, writeAll } from './fs/atomic-files.ts';
import type { Disk } from './fs/disk.ts';
import { CorruptionError } from './fs/errors.ts';
import { isOtherBoot } from './lock.ts';
import type { LockHost } from './options.ts';

const MARK = 'failed';

interface Content {
  /** After another start of the machine only what was stored can be read. Empty if it is not known. */
  readonly boot: string;
  /** What stands from this byte of the log on may be lost, though it can still be read. */
  readonly from: number;
}

export const SYNC_FAILED =
  'the disk failed to store a write, and what can be read may be lost; run `porchlight repair`, then ' +
  'restart every process that has the folder open';

/**
 * A file that says that a sync failed, until `porchlight repair` has written the log anew. It matters until
 * the machine starts again, so it is written without a sync: the disk fails, and memory is enough.
 */
export class FailedMark {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #path: string;
  readonly #boot: string;

  constructor(disk: Disk, folder: string, { boot }: Pick<LockHost, 'boot'>) {
    this.#disk = disk;
    this.#folder = folder;
    this.#path = join(folder, MARK);
    this.#boot = boot;
  }

  /**
   * @returns the byte from which on the log may be lost; Infinity with a mark that is none of this program, which says
   *   nothing of what was shown; undefined without a mark, or with one of another start of the machine
   * @throws StoreFailure if the disk fails: then nothing is known
   */
  async read(): Promise<number | undefined> {
    if ((await this.#disk.status(this.#path)) === undefined) return undefined;
    const bytes = await readWhole(this.#disk, this.#path).catch((error: unknown) => {
      // Something else than a file has the name.
      if (error instanceof CorruptionError) return Buffer.alloc(0);
      throw new StoreFailure('nothing', 'whether a sync failed cannot be read', { cause: error });
    });
    if (bytes === undefined) return undefined;
    const { boot, from } = (parseJson(bytes.toString()) ?? {}) as Partial<Content>;
    // A crash of the machine may leave an empty file.
    if (typeof boot !== 'string' || typeof from !== 'number') return Infinity;
    return isOtherBoot(boot, this.#boot) ? undefined : from;
  }

  /**
   * Removes a mark of another start of the machine. Only for the holder of the lock.
   * @throws StoreFailure with any other mark
   */
  async clear(): Promise<void> {
    if ((await this.#disk.status(this.#path)) === undefined) return;
    if ((await this.read()) !== undefined) throw new StoreFailure('nothing', SYNC_FAILED);
    await this.remove();
  }

  /** @param from as in the file; an earlier byte that is marked stays */
  async place(from: number): Promise<void> {
    const content: Content = { boot: this.#boot, from: Math.min(from, (await this.read()) ?? Infinity) };
    const path = join(this.#folder, `${TEMPORARY}${MARK}-${randomUUID()}`);
    const file = await this.#disk.open(path, 'create');
    try {
      await writeAll(file, Buffer.from(JSON.stringify(content)));
    } finally {
      await file.close();
    }
    await this.#disk.rename(path, this.#path).catch(async (error: unknown) => {
      await removeFile(this.#disk, path);
      throw error;
    });
  }

  async remove(): Promise<void> {
    await removeFile(this.#disk, this.#path);
    await this.#disk.syncFolder(this.#folder);
  }
}
