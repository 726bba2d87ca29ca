import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { CorruptionError, isError } from './fs/errors.ts';
import { placeFile, readWhole, removeFile, TEMPORARY } from './fs/atomic-files.ts';
import type { Disk } from './fs/disk.ts';

export const KEY_BYTES = 32;

const DAY = /^\d{4}-\d\d-\d\d$/;
/** The name of a key that a crash left under its temporary name. */
const TEMPORARY_DAY = new RegExp(`^\\${TEMPORARY}(\\d{4}-\\d\\d-\\d\\d)-[0-9a-f-]{36}$`);

/**
 * The folder with one key file for each UTC day (`2026-11-21`). Files with other names are never read and
 * never removed.
 */
export class KeyFolder {
  readonly #disk: Disk;
  readonly #path: string;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** @returns all keys by day. @throws CorruptionError if a key file has a wrong length */
  async readAll(): Promise<Map<string, Buffer>> {
    const keys = new Map<string, Buffer>();
    for (const name of await this.#list()) {
      const key = DAY.test(name) ? await this.read(name) : undefined;
      if (key !== undefined) keys.set(name, key);
    }
    return keys;
  }

  /** @returns undefined if there is no key of the day. @throws CorruptionError as `readAll` */
  async read(day: string): Promise<Buffer | undefined> {
    const path = join(this.#path, day);
    const key = await readWhole(this.#disk, path);
    if (key !== undefined && key.length !== KEY_BYTES)
      throw new CorruptionError(
        path,
        'this is not a key; without the file, limits and retries forget that day',
      );
    return key;
  }

  /** Creates the key of a day, unless another process was first. @returns the key of the day, durable */
  async make(day: string): Promise<Buffer> {
    await this.#disk.makeFolder(this.#path);
    await this.#disk.syncFolder(dirname(this.#path));
    await placeFile(this.#disk, this.#path, day, randomBytes(KEY_BYTES));
    const made = await this.read(day);
    if (made === undefined) throw new Error('the key of the day cannot be read back');
    return made;
  }

  /**
   * Removes keys of earlier days, and temporary files that a crash left.
   * @returns the number of removed keys
   */
  async removeBefore(day: string): Promise<number> {
    const expired = (await this.#list()).filter((name) => {
      const named = DAY.test(name) ? name : TEMPORARY_DAY.exec(name)?.[1];
      return named !== undefined && named < day;
    });
    for (const name of expired) await removeFile(this.#disk, join(this.#path, name));
    if (expired.length > 0) await this.#disk.syncFolder(this.#path);
    return expired.filter((name) => DAY.test(name)).length;
  }

  /** Empty if there is no folder. */
  async #list(): Promise<string[]> {
    try {
      return await this.#disk.list(this.#path);
    } catch (error) {
      if (isError(error, 'ENOENT')) return [];
      throw error;
    }
  }
}
