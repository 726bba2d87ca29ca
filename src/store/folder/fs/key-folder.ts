import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { listNames, placeFile, readWhole, removeFile, TEMPORARY } from './atomic-files.ts';
import { CorruptionError, type Disk } from './disk.ts';

export const KEY_BYTES = 32;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** The temporary name of a key, as a crash leaves it. */
const TEMPORARY_DAY = new RegExp(`^\\${TEMPORARY}(\\d{4}-\\d\\d-\\d\\d)-[0-9a-f-]{36}$`);

/**
 * The keys of a folder store, or the secrets of the servers of a database: 32 random bytes for each UTC day,
 * in a file such as `2026-11-21`. Files with other names are neither read nor removed.
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
    for (const name of await listNames(this.#disk, this.#path)) {
      const key = DAY.test(name) ? await this.read(name) : undefined;
      if (key !== undefined) keys.set(name, key);
    }
    return keys;
  }

  /** @returns undefined if there is no key @throws CorruptionError if the file has a wrong length */
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

  /** Creates the key of a day if there is none. @returns the key of the day, durable */
  async make(day: string): Promise<Buffer> {
    const existing = await this.read(day);
    if (existing !== undefined) return existing;
    await this.#disk.makeFolder(this.#path);
    await this.#disk.syncFolder(dirname(this.#path));
    // If several processes create a key, only one of them gets the name.
    await placeFile(this.#disk, this.#path, day, randomBytes(KEY_BYTES));
    const made = await this.read(day);
    if (made === undefined) throw new Error('the key of the day cannot be read back');
    return made;
  }

  /** Removes earlier keys, and temporary files of a crash. @returns the number of removed keys */
  async removeBefore(day: string): Promise<number> {
    const expired = (await listNames(this.#disk, this.#path)).filter((name) => {
      const named = DAY.test(name) ? name : TEMPORARY_DAY.exec(name)?.[1];
      return named !== undefined && named < day;
    });
    for (const name of expired) await removeFile(this.#disk, join(this.#path, name));
    if (expired.length > 0) await this.#disk.syncFolder(this.#path);
    return expired.filter((name) => DAY.test(name)).length;
  }
}
