import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { DAY_MS, toDay } from '#store/engine/timestamp.ts';
import type { WriteEntry } from '#store/engine/write-history.ts';
import { RandomPool } from '#runtime/random-pool.ts';
import { kindOf } from '#store/port/records.ts';
import { StoreFailure } from '#store/port/store.ts';
import type { Disk } from './fs/disk.ts';
import { KeyFolder } from './fs/key-folder.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const NAME_BYTES = 8;
/** A key is needed on its day and the next, since limits and retries read what it encrypted. */
const DAYS_NEEDED = 2;

type Secret = readonly [
  clientKey: string,
  limitScope: WriteEntry['limitScope'],
  atMs: number,
  key: string | null,
  content: string,
];

interface Key {
  readonly day: string;
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts the client of a record with the key of the UTC day. The key is destroyed within 48 hours, and from
 * then on no one can read the client, not even the operator. A sealed entry is the name of its key, a dot,
 * and IV, ciphertext and tag in base64url.
 */
export class DayKeys {
  readonly #folder: KeyFolder;
  readonly #folders: readonly KeyFolder[];
  /** By name. A day has two keys if its file was replaced while this process was running. */
  readonly #keys = new Map<string, Key>();
  /** By UTC day, the keys that are in the files. Invariant: every value is in `#keys`. */
  readonly #keyOfDay = new Map<string, Key>();
  readonly #ivs = new RandomPool(IV_BYTES);
  #destroyed = 0;

  /**
   * @param path the folder in which keys are created
   * @param earlierPath a folder that may hold keys made before `path` was configured
   */
  constructor(disk: Disk, path: string, earlierPath = path) {
    this.#folder = new KeyFolder(disk, path);
    this.#folders = earlierPath === path ? [this.#folder] : [new KeyFolder(disk, earlierPath), this.#folder];
  }

  /** @throws CorruptionError if a key file is invalid */
  async load(): Promise<void> {
    for (const folder of this.#folders)
      for (const [day, bytes] of await folder.readAll()) this.#add(day, bytes);
  }

  /** Loads or creates the key of a time in milliseconds since 1970. @throws StoreFailure */
  async prepare(now: number): Promise<void> {
    const day = toDay(now);
    if (this.#keyOfDay.has(day)) return;
    try {
      this.#add(day, await this.#folder.make(day));
    } catch (error) {
      throw new StoreFailure('nothing', "today's encryption key could not be created", { cause: error });
    }
  }

  /** @throws Error if the key of the day is not loaded: call `prepare` first */
  seal(entry: WriteEntry): string {
    const key = this.#keyOfDay.get(toDay(entry.atMs));
    if (key === undefined) throw new Error('the key of the day is not loaded');
    const { name, bytes } = key;
    const iv = this.#ivs.next();
    const cipher = createCipheriv(CIPHER, bytes, iv).setAAD(Buffer.from(entry.id));
    const secret: Secret = [entry.clientKey, entry.limitScope, entry.atMs, entry.key, entry.content];
    const box = [iv, cipher.update(JSON.stringify(secret)), cipher.final(), cipher.getAuthTag()];
    return `${name}.${Buffer.concat(box).toString('base64url')}`;
  }

  /** @returns the entry; undefined if its key is not loaded or was destroyed, or if its bytes were changed */
  open(sealed: string, id: string): WriteEntry | undefined {
    const [name = '', text = ''] = sealed.split('.');
    const key = this.#keys.get(name);
    if (key === undefined) return undefined;
    const box = Buffer.from(text, 'base64url');
    try {
      const decipher = createDecipheriv(CIPHER, key.bytes, box.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(id))
        .setAuthTag(box.subarray(-TAG_BYTES));
      const plain = Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      const [clientKey, limitScope, atMs, idempotencyKey, content] = JSON.parse(plain.toString()) as Secret;
      return { clientKey, limitScope, atMs, kind: kindOf(id), id, key: idempotencyKey, content };
    } catch {
      return undefined;
    }
  }

  lacks(sealed: string): boolean {
    return !this.#keys.has(sealed.split('.')[0] ?? '');
  }

  /**
   * Destroys the keys that limits and retries no longer need.
   * @param time of `readExpiryClock` @returns the number of keys destroyed since the start
   */
  async destroy(time: number): Promise<number> {
    const oldest = toDay(time - (DAYS_NEEDED - 1) * DAY_MS);
    for (const [name, { day }] of this.#keys) if (day < oldest) this.#keys.delete(name);
    for (const day of this.#keyOfDay.keys()) if (day < oldest) this.#keyOfDay.delete(day);
    for (const folder of this.#folders) this.#destroyed += await folder.removeBefore(oldest);
    return this.#destroyed;
  }

  #add(day: string, bytes: Buffer): void {
    const name = createHash('sha256').update(bytes).digest().subarray(0, NAME_BYTES).toString('base64url');
    const key = { day, name, bytes };
    this.#keys.set(name, key);
    this.#keyOfDay.set(day, key);
  }
}
