import {
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import type pg from 'pg';
import { DAY_MS, toDay } from '#store/engine/timestamp.ts';
import { MAX_CLOCK_SKEW_MS, type WriteEntry } from '#store/engine/write-history.ts';
import { widenNetwork } from '#store/port/network.ts';
import { StoreFailure } from '#store/port/store.ts';
import { CLOCK_TOLERANCE_MS } from '#store/postgres/connection/database-clock.ts';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of a secret, and of the key of a day that is derived from one. */
const KEY_BYTES = 32;
const TAG_BYTES = 16;

/** Yesterday, today and tomorrow. */
const MAX_CACHED_DAYS = 3;

/** More than the writes of one transaction need. */
const MAX_CACHED_TAGS = 2000;

/** A row of the table `write_history`, with tags in place of client, key and content. */
export type WriteHistoryRow = ReturnType<ClientTags['toRow']>;

/** A tag identifies a value without revealing it. Only equal values of one day have equal tags. */
export class DayTags {
  readonly #key: KeyObject;
  /** A cache, since a write needs most of its tags twice: for lookups, and to store them. */
  readonly #recent = new Map<string, string>();

  constructor(key: KeyObject) {
    this.#key = key;
  }

  /**
   * @param of what the parts are: a client key; a network by `widenNetwork`; the kind and client key of a write
   *   with its idempotency key or, by `hashContent`, its content; the id and network of a report
   */
  tag(of: 'client' | 'network' | 'key' | 'content' | 'report', ...parts: readonly string[]): string {
    const input = JSON.stringify([of, ...parts]);
    let tag = this.#recent.get(input);
    if (tag === undefined) {
      tag = createHmac('sha256', this.#key).update(input).digest().toString('base64url', 0, TAG_BYTES);
      if (this.#recent.size >= MAX_CACHED_TAGS) this.#recent.clear();
      this.#recent.set(input, tag);
    }
    return tag;
  }
}

// The first server of a day stores its fingerprint; all others compare.
const PROVE = `with stored as (
    insert into secret_fingerprint (day, fingerprint) values ($1, $2)
    on conflict (day) do update set day = excluded.day returning fingerprint
  ), expired as (delete from secret_fingerprint where day < $3)
  select fingerprint from stored`;

/** Derives the keys of the days from the visitor secrets, by HKDF (RFC 5869) with SHA-256. */
export class ClientTags {
  readonly #secrets: readonly Buffer[] | SecretFolder;
  /** Days whose secret is known to be that of the other servers. */
  readonly #proven = new Set<number>();
  /** By number of the UTC day, in the order of the secrets. */
  readonly #days = new Map<number, readonly DayTags[]>();

  /** @param secrets those of every day, the newest first, at least one; or a folder with one for each day */
  constructor(secrets: readonly Buffer[] | SecretFolder) {
    this.#secrets = secrets;
  }

  /**
   * Creates the secrets of a folder that a write needs now.
   * @throws StoreFailure without the folder, or if other servers have another secret; errors of the driver
   */
  async prepare(pool: Pick<pg.Pool, 'query'>, now: number): Promise<void> {
    if (!(this.#secrets instanceof SecretFolder)) return;
    for (const day of new Set([dayOf(now - CLOCK_TOLERANCE_MS), dayOf(now + CLOCK_TOLERANCE_MS)])) {
      if (this.#proven.has(day)) continue;
      const date = toDate(day);
      const fingerprint = hash('sha256', this.#secrets.make(date), 'base64url');
      const expired = toDate(dayOf(now) - 1);
      const { rows } = await pool.query<{ fingerprint: string }>(PROVE, [date, fingerprint, expired]);
      if (rows[0]?.fingerprint !== fingerprint)
        throw new StoreFailure(
          'nothing',
          `VISITOR_SECRET_DIR has a secret for ${date} that differs from that of the servers that wrote ` +
            'before: give all servers of the database the same folder, or, if that secret is lost, run ' +
            '"delete from secret_fingerprint"',
        );
      this.#proven.add(day);
    }
  }

  /** Destroys the secrets of a folder that no write of the last 24 hours needs. */
  destroyExpired(now: number): void {
    if (!(this.#secrets instanceof SecretFolder)) return;
    const yesterday = dayOf(now) - 1;
    this.#secrets.removeBefore(toDate(yesterday));
    for (const day of this.#days.keys()) if (day < yesterday) this.#days.delete(day);
  }

  /** @throws Error if the day has no secret before `prepare` */
  ofDay(time: number): DayTags {
    const [tags] = this.#tagsOf(dayOf(time));
    if (tags === undefined) throw new Error('there is no visitor secret');
    return tags;
  }

  toRow(entry: WriteEntry) {
    const { clientKey, limitScope, at, kind, id, key, content } = entry;
    const tags = this.ofDay(at);
    return {
      client: tags.tag('client', clientKey),
      network: tags.tag('network', widenNetwork(clientKey)),
      limit_scope: limitScope,
      at,
      id,
      key: key === null ? null : tags.tag('key', kind, clientKey, key),
      content: tags.tag('content', kind, clientKey, content),
    };
  }

  /**
   * @param now milliseconds since 1970, off by at most `CLOCK_TOLERANCE_MS`
   * @returns the tags under which a write younger than `windowMs` may be stored
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
      tags = this.#secretsOf(day).map((secret) => new DayTags(deriveKey(secret, day)));
      // Not cached while there is none: another server may create the secret of the day.
      if (tags.length > 0) this.#days.set(day, tags);
      if (this.#days.size > MAX_CACHED_DAYS) this.#days.delete(Math.min(...this.#days.keys()));
    }
    return tags;
  }

  #secretsOf(day: number): readonly Buffer[] {
    if (!(this.#secrets instanceof SecretFolder)) return this.#secrets;
    const secret = this.#secrets.read(toDate(day));
    return secret === undefined ? [] : [secret];
  }
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

const toDate = (day: number): string => toDay(day * DAY_MS);

function deriveKey(secret: Buffer, day: number): KeyObject {
  const info = `porchlight visitor ${toDate(day)}`;
  return createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', info, KEY_BYTES)));
}

export interface SecretOptions {
  /** 32 bytes each, the newest first; by default the database has the secret. See docs/operations.md. */
  readonly visitorSecrets?: readonly Buffer[] | undefined;
  /** Replaces `visitorSecrets`: servers create and destroy a secret for each day in this folder. */
  readonly visitorSecretFolder?: string | undefined;
}

/** @returns those of the settings, else that of a migration @throws StoreFailure; errors of the driver */
export async function readSecrets(
  { visitorSecrets, visitorSecretFolder }: SecretOptions,
  pool: pg.Pool,
): Promise<readonly Buffer[] | SecretFolder> {
  if (visitorSecretFolder !== undefined) return new SecretFolder(visitorSecretFolder);
  if (visitorSecrets !== undefined) return visitorSecrets;
  const { rows } = await pool.query<{ secret: string }>('select secret from visitor_secret');
  const [row] = rows;
  if (row !== undefined) return [Buffer.from(row.secret, 'base64')];
  throw new StoreFailure(
    'nothing',
    'the table visitor_secret is empty; run "insert into visitor_secret default values"',
  );
}

/** The name of the secret of a day, or the temporary name of one that a crash has left. */
const DAY = /^(?:\.tmp-)?(\d{4}-\d\d-\d\d)(?:-[0-9a-f-]{36})?$/;

/**
 * VISITOR_SECRET_DIR: 32 random bytes for each UTC day in a file such as `2026-11-21`. The servers of a
 * database share it. Files with other names are never read and never removed.
 */
class SecretFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** @returns undefined without a secret. @throws StoreFailure if the file cannot be used */
  read(day: string): Buffer | undefined {
    try {
      const secret = readFileSync(join(this.#path, day));
      if (secret.length === KEY_BYTES) return secret;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw this.#failure(error);
    }
    throw new StoreFailure('nothing', `VISITOR_SECRET_DIR: the file ${day} does not have ${KEY_BYTES} bytes`);
  }

  /** @throws StoreFailure */
  make(day: string): Buffer {
    const existing = this.read(day);
    if (existing !== undefined) return existing;
    const temporary = join(this.#path, `.tmp-${day}-${randomUUID()}`);
    try {
      mkdirSync(this.#path, { recursive: true, mode: 0o700 });
      writeFileSync(temporary, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600, flush: true });
      // If several servers create a secret, only one of them gets the name.
      linkSync(temporary, join(this.#path, day));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw this.#failure(error);
    } finally {
      rmSync(temporary, { force: true });
    }
    const made = this.read(day);
    if (made === undefined)
      throw new StoreFailure('nothing', `VISITOR_SECRET_DIR: the file ${day} is missing`);
    return made;
  }

  /** After a failure the next call tries again. */
  removeBefore(day: string): void {
    try {
      for (const name of readdirSync(this.#path)) {
        const [, named = day] = DAY.exec(name) ?? [];
        if (named < day) rmSync(join(this.#path, name), { force: true });
      }
    } catch {
      // The folder does not exist yet, or its disk fails, which the next write reports.
    }
  }

  #failure(cause: unknown): StoreFailure {
    const { code = 'an error' } = cause as NodeJS.ErrnoException;
    return new StoreFailure('nothing', `VISITOR_SECRET_DIR cannot be used: ${code}`, { cause });
  }
}
