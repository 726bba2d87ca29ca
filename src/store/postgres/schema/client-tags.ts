import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type pg from 'pg';
import { MAX_CLOCK_SKEW_MS, type ClientAndKind, type WriteEntry } from '#store/engine/write-history.ts';
import { StoreFailure } from '#store/port/store.ts';
import { CLOCK_TOLERANCE_MS } from '#store/postgres/connection/database-clock.ts';

const KEY_BYTES = 32;
const TAG_BYTES = 16;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Yesterday, today and tomorrow. */
const MAX_CACHED_DAYS = 3;

/** More than the writes of one transaction need. */
const MAX_CACHED_TAGS = 2000;

/** A row of the table `write_history`, in which tags stand for client, key and content. */
export interface WriteHistoryRow {
  readonly client: string;
  readonly limit_scope: string;
  readonly at: number;
  readonly id: string;
  readonly key: string | null;
  readonly content: string;
}

/**
 * Tags under the key of one day. A tag stands for a value without revealing it: equal values of one day have equal
 * tags, and values of two days cannot be compared.
 */
export class DayTags {
  readonly #key: KeyObject;
  /** A write needs most of its tags twice: to look up, and to store. */
  readonly #recent = new Map<string, string>();

  constructor(key: KeyObject) {
    this.#key = key;
  }

  client(clientKey: string): string {
    return this.#tag('client', clientKey);
  }

  /** Of an idempotency key, which belongs to one client and kind. */
  key({ clientKey, kind }: ClientAndKind, key: string): string {
    return this.#tag('key', kind, clientKey, key);
  }

  /** Of a content, which is compared within one client and kind. @param hash by `hashContent` */
  content({ clientKey, kind }: ClientAndKind, hash: string): string {
    return this.#tag('content', kind, clientKey, hash);
  }

  #tag(...parts: string[]): string {
    const input = JSON.stringify(parts);
    let tag = this.#recent.get(input);
    if (tag === undefined) {
      tag = createHmac('sha256', this.#key).update(input).digest().toString('base64url', 0, TAG_BYTES);
      if (this.#recent.size >= MAX_CACHED_TAGS) this.#recent.clear();
      this.#recent.set(input, tag);
    }
    return tag;
  }
}

/** Derives the keys of the days from the visitor secrets, by HKDF (RFC 5869) with SHA-256. */
export class ClientTags {
  readonly #secrets: readonly Buffer[];
  /** By number of the UTC day, in the order of the secrets. */
  readonly #days = new Map<number, readonly DayTags[]>();

  /** @param secrets the newest first, at least one */
  constructor(secrets: readonly Buffer[]) {
    this.#secrets = secrets;
  }

  /** @returns the row of `write_history` for a write */
  toRow(entry: WriteEntry): WriteHistoryRow {
    const { clientKey, limitScope, at, id, key, content } = entry;
    const [tags] = this.#tagsOf(dayOf(at));
    if (tags === undefined) throw new Error('there is no visitor secret');
    return {
      client: tags.client(clientKey),
      limit_scope: limitScope,
      at,
      id,
      key: key === null ? null : tags.key(entry, key),
      content: tags.content(entry, content),
    };
  }

  /**
   * @param now wall-clock time in milliseconds since 1970, off by at most `CLOCK_TOLERANCE_MS`
   * @returns the tags of all days and secrets under which a write younger than `windowMs` may be stored
   */
  ofWindow(now: number, windowMs: number): DayTags[] {
    const end = now + MAX_CLOCK_SKEW_MS + CLOCK_TOLERANCE_MS;
    const tags: DayTags[] = [];
    for (let day = dayOf(now - windowMs - CLOCK_TOLERANCE_MS); day <= dayOf(end); day++)
      tags.push(...this.#tagsOf(day));
    return tags;
  }

  #tagsOf(day: number): readonly DayTags[] {
    let tags = this.#days.get(day);
    if (tags === undefined) {
      tags = this.#secrets.map((secret) => new DayTags(deriveKey(secret, day)));
      this.#days.set(day, tags);
      if (this.#days.size > MAX_CACHED_DAYS) this.#days.delete(Math.min(...this.#days.keys()));
    }
    return tags;
  }
}

/** @returns the number of the UTC day, counted from 1970 */
function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** @returns the key of a day, which is named by its date, such as `2026-11-21` */
function deriveKey(secret: Buffer, day: number): KeyObject {
  const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
  return createSecretKey(
    new Uint8Array(hkdfSync('sha256', secret, '', `porchlight visitor ${date}`, KEY_BYTES)),
  );
}

/**
 * @returns the secret that a migration made, for instances without VISITOR_SECRET
 * @throws StoreFailure if the row is missing; errors of the driver
 */
export async function readDatabaseSecret(pool: pg.Pool): Promise<Buffer> {
  const { rows } = await pool.query<{ secret: string }>('select secret from visitor_secret');
  const [row] = rows;
  if (row === undefined)
    throw new StoreFailure(
      'nothing',
      'the table visitor_secret is empty; run "insert into visitor_secret default values"',
    );
  return Buffer.from(row.secret, 'base64');
}
