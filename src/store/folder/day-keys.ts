import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { toDay } from '#store/engine/timestamp.ts';
import type { WriteEntry } from '#store/engine/write-history.ts';
import { RandomPool } from '#runtime/random-pool.ts';
import type { Kind } from '#store/port/records.ts';
import { StoreFailure } from '#store/port/store.ts';
import type { Disk } from './fs/disk.ts';
import { KeyFolder } from './key-folder.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Bytes of the SHA-256 of a key that name it in a box. */
const NAME_BYTES = 8;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A key is needed on its day and the next: limits and retries ask for what it encrypted. */
const DAYS_NEEDED = 2;

type Secret = readonly [
  clientKey: string,
  limitScope: WriteEntry['limitScope'],
  at: number,
  key: string | null,
  content: string,
];

interface Key {
  readonly day: string;
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts the client of a record, beside the record itself, with a key of the UTC day that is destroyed
 * within 48 hours. After that the client of a record cannot be read, by the operator either.
 *
 * A box is the name of its key, a point, and IV, ciphertext and tag in base64url.
 */
export class DayKeys {
  readonly #folder: KeyFolder;
  /** Where keys are read and destroyed. */
  readonly #folders: readonly KeyFolder[];
  /** By name. A day has two keys if its file was replaced while this process runs. */
  readonly #keys = new Map<string, Key>();
  /** The keys that the files hold. Invariant: every value is in `#keys`. */
  readonly #keyOfDay = new Map<string, Key>();
  readonly #ivs = new RandomPool(IV_BYTES);
  #destroyed = 0;

  /**
   * @param path the folder in which keys are made
   * @param earlierPath a folder that may hold keys made before `path` was configured
   */
  constructor(disk: Disk, path: string, earlierPath = path) {
    this.#folder = new KeyFolder(disk, path);
    this.#folders = earlierPath === path ? [this.#folder] : [new KeyFolder(disk, earlierPath), this.#folder];
  }

  get destroyed(): number {
    return this.#destroyed;
  }

  /** Reads all keys again. @throws CorruptionError if a key file is invalid */
  async load(): Promise<void> {
    for (const folder of this.#folders)
      for (const [day, bytes] of await folder.readAll()) this.#add(day, bytes);
  }

  /**
   * Makes sure that a write at this time finds its key.
   * @param now milliseconds since 1970
   * @throws StoreFailure if the key cannot be made
   */
  async prepare(now: number): Promise<void> {
    const day = toDay(now);
    if (this.#keyOfDay.has(day)) return;
    try {
      this.#add(day, (await this.#folder.read(day)) ?? (await this.#folder.make(day)));
    } catch (error) {
      throw new StoreFailure('nothing', 'the key of the day could not be made', { cause: error });
    }
  }

  /**
   * @returns the encrypted entry. Its id is authenticated and must be known to `open` it
   * @throws Error if the key of the day is not loaded: `prepare` comes first
   */
  seal(entry: WriteEntry): string {
    const key = this.#keyOfDay.get(toDay(entry.at));
    if (key === undefined) throw new Error('the key of the day is not loaded');
    const { name, bytes } = key;
    const iv = this.#ivs.next();
    const cipher = createCipheriv(CIPHER, bytes, iv).setAAD(Buffer.from(entry.id));
    const secret: Secret = [entry.clientKey, entry.limitScope, entry.at, entry.key, entry.content];
    const box = [iv, cipher.update(JSON.stringify(secret)), cipher.final(), cipher.getAuthTag()];
    return `${name}.${Buffer.concat(box).toString('base64url')}`;
  }

  /** @returns undefined if the key is not loaded or destroyed, or the box was changed */
  open(sealed: string, kind: Kind, id: string): WriteEntry | undefined {
    const [name = '', text = ''] = sealed.split('.');
    const key = this.#keys.get(name);
    if (key === undefined) return undefined;
    const box = Buffer.from(text, 'base64url');
    try {
      const decipher = createDecipheriv(CIPHER, key.bytes, box.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(id))
        .setAuthTag(box.subarray(-TAG_BYTES));
      const plain = Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      const [clientKey, limitScope, at, idempotencyKey, content] = JSON.parse(plain.toString()) as Secret;
      return { clientKey, limitScope, at, kind, id, key: idempotencyKey, content };
    } catch {
      return undefined;
    }
  }

  /** Whether the key of a box is not loaded, or destroyed. */
  lacks(sealed: string): boolean {
    return !this.#keys.has(sealed.split('.')[0] ?? '');
  }

  /**
   * Destroys the keys that no limit and no retry needs any more.
   * @param time of `ExpiryClock`, milliseconds since 1970
   */
  async destroy(time: number): Promise<void> {
    const oldest = toDay(time - (DAYS_NEEDED - 1) * DAY_MS);
    for (const [name, { day }] of this.#keys) if (day < oldest) this.#keys.delete(name);
    for (const day of this.#keyOfDay.keys()) if (day < oldest) this.#keyOfDay.delete(day);
    for (const folder of this.#folders) this.#destroyed += await folder.removeBefore(oldest);
  }

  #add(day: string, bytes: Buffer): void {
    const name = createHash('sha256').update(bytes).digest().subarray(0, NAME_BYTES).toString('base64url');
    const key = { day, name, bytes };
    this.#keys.set(name, key);
    this.#keyOfDay.set(day, key);
  }
}
