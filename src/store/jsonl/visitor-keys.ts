import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { WriteEntry } from '#store/engine/write-history.ts';
import type { Kind } from '#store/records.ts';
import { CorruptionError } from './corruption.ts';
import type { Disk } from './fs/disk.ts';
import { placeFile, readWhole, removeFile, TEMPORARY } from './fs/atomic-files.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Asking the system for a few random bytes takes as long as for many. */
const IVS_AT_ONCE = 256;
const DAY_MS = 24 * 60 * 60 * 1000;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** A key serves on its own day and on the next, while a limit or a retry may still ask for what it sealed. */
const DAYS_KEPT = 2;

type Secret = readonly [
  visitor: string,
  budget: WriteEntry['budget'],
  at: number,
  key: string | null,
  content: string,
];

/**
 * Seals who wrote a record, beside the record itself, with a key of the day that is destroyed after 48 hours. From
 * then on nobody can tell who wrote what, not even the operator.
 */
export class DayKeys {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #keys = new Map<string, Buffer>();
  #ivs = Buffer.alloc(0);

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = join(folder, 'keys');
  }

  /**
   * Reads the keys that are there.
   * @throws Damage where one of them is none
   */
  async load(): Promise<void> {
    await this.#disk.makeFolder(this.#folder);
    for (const day of await this.#disk.list(this.#folder)) {
      if (DAY.test(day)) await this.#load(day);
    }
  }

  /** Sees to it that a write at this time finds its key. */
  async prepare(now: number): Promise<void> {
    await this.#make(dayOf(now));
  }

  /** Whether `seal` can seal a write at this time. */
  isPrepared(now: number): boolean {
    return this.#keys.has(dayOf(now));
  }

  /** @throws Error if the key of the day is not loaded: `prepare` comes first */
  seal(visit: WriteEntry): string {
    const day = dayOf(visit.at);
    const key = this.#keys.get(day);
    if (key === undefined) throw new Error('the key of the day is not loaded');
    const iv = this.#newIv();
    const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(visit.id));
    const secret: Secret = [visit.visitor, visit.budget, visit.at, visit.key, visit.content];
    const box = [iv, cipher.update(JSON.stringify(secret)), cipher.final(), cipher.getAuthTag()];
    return `${day}.${Buffer.concat(box).toString('base64url')}`;
  }

  /** @returns undefined where the key is not loaded, is no more, or never fitted. */
  open(sealed: string, kind: Kind, id: string): WriteEntry | undefined {
    const [day = '', text = ''] = sealed.split('.');
    const key = this.#keys.get(day);
    if (key === undefined) return undefined;
    const box = Buffer.from(text, 'base64url');
    try {
      const decipher = createDecipheriv(CIPHER, key, box.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(id))
        .setAuthTag(box.subarray(-TAG_BYTES));
      const plain = Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      const [visitor, budget, at, idempotencyKey, content] = JSON.parse(plain.toString()) as Secret;
      return { visitor, budget, at, kind, id, key: idempotencyKey, content };
    } catch {
      return undefined;
    }
  }

  /** @returns whether the key may be on the disk and is not loaded yet. */
  lacks(sealed: string, now: number): boolean {
    const day = sealed.slice(0, dayOf(now).length);
    return !this.#keys.has(day) && day >= oldestDay(now);
  }

  /** Forgets and removes the keys of days that are over for good, also what a crash left of making them. */
  async destroy(now: number): Promise<void> {
    const oldest = oldestDay(now);
    for (const day of this.#keys.keys()) if (day < oldest) this.#keys.delete(day);
    await this.#disk.makeFolder(this.#folder);
    const names = await this.#disk.list(this.#folder);
    const over = names.filter(
      (name) => (name.startsWith(TEMPORARY) ? name.slice(TEMPORARY.length) : name) < oldest,
    );
    for (const name of over) await removeFile(this.#disk, join(this.#folder, name));
    if (over.length > 0) await this.#disk.syncFolder(this.#folder);
  }

  #newIv(): Buffer {
    if (this.#ivs.length === 0) this.#ivs = randomBytes(IVS_AT_ONCE * IV_BYTES);
    const iv = this.#ivs.subarray(0, IV_BYTES);
    this.#ivs = this.#ivs.subarray(IV_BYTES);
    return iv;
  }

  async #load(day: string): Promise<Buffer | undefined> {
    const known = this.#keys.get(day);
    if (known !== undefined) return known;
    const path = join(this.#folder, day);
    const key = await readWhole(this.#disk, path);
    if (key === undefined) return undefined;
    if (key.length !== KEY_BYTES)
      throw new CorruptionError(
        path,
        'this is not a key; without the file, limits and retries forget that day',
      );
    this.#keys.set(day, key);
    return key;
  }

  async #make(day: string): Promise<Buffer> {
    const known = await this.#load(day);
    if (known !== undefined) return known;
    await this.#disk.makeFolder(this.#folder);
    await this.#disk.syncFolder(dirname(this.#folder));
    await placeFile(this.#disk, this.#folder, day, randomBytes(KEY_BYTES));
    const made = await this.#load(day);
    if (made === undefined) throw new Error('the key of the day cannot be read back');
    return made;
  }
}

function oldestDay(now: number): string {
  return dayOf(now - (DAYS_KEPT - 1) * DAY_MS);
}

/** @returns the UTC day, `2026-11-21`. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
