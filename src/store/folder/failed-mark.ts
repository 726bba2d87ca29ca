import { join } from 'node:path';
import { StoreFailure } from '#store/port/store.ts';
import { readWhole, removeFile, replaceFileBy, writeAll } from './fs/atomic-files.ts';
import type { Disk } from './fs/disk.ts';
import type { LockHost } from './options.ts';

const MARK = 'failed';

interface Content {
  /** After another start of the machine only what was stored can be read. */
  readonly boot: string;
  /** What stands from this byte of the log on may be lost, though it can still be read. */
  readonly from: number;
}

export const SYNC_FAILED =
  'the disk failed to store a write, and what can be read may be lost; run `porchlight repair`, then ' +
  'restart every process that has the folder open';

/** A file that says that a sync failed, until `porchlight repair` has written the log anew. */
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
   * @returns the byte from which on the log may be lost; undefined without a mark, or with one of another
   *   boot
   * @throws StoreFailure if there is a mark that cannot be read
   */
  async read(): Promise<number | undefined> {
    if (!(await this.#exists())) return undefined;
    try {
      const bytes = await readWhole(this.#disk, this.#path);
      if (bytes === undefined) return undefined;
      const { boot, from } = JSON.parse(bytes.toString()) as Content;
      if (typeof boot === 'string' && typeof from === 'number') return boot === this.#boot ? from : undefined;
    } catch {
      // An unreadable mark means a failed sync too.
    }
    throw new StoreFailure('nothing', SYNC_FAILED);
  }

  /**
   * Removes a mark of another boot. Only for the holder of the lock.
   * @throws StoreFailure with any other mark
   */
  async clear(): Promise<void> {
    if (!(await this.#exists())) return;
    if ((await this.read()) !== undefined) throw new StoreFailure('nothing', SYNC_FAILED);
    await this.remove();
  }

  /** @param from as in the file; an earlier byte that is marked stays */
  async place(from: number): Promise<void> {
    const marked = (await this.read().catch(() => undefined)) ?? Infinity;
    const content: Content = { boot: this.#boot, from: Math.min(from, marked) };
    const bytes = Buffer.from(JSON.stringify(content));
    await replaceFileBy(this.#disk, this.#folder, MARK, (file) => writeAll(file, bytes));
  }

  async remove(): Promise<void> {
    await removeFile(this.#disk, this.#path);
    await this.#disk.syncFolder(this.#folder);
  }

  async #exists(): Promise<boolean> {
    return (await this.#disk.status(this.#path)) !== undefined;
  }
}
