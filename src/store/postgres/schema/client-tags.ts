import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject } from 'node:crypto';
import type pg from 'pg';
import { CorruptionError, nodeDisk } from '#store/folder/fs/disk.ts';
import { KEY_BYTES, KeyFolder } from '#store/folder/fs/key-folder.ts';
import { DAY_MS, toDay } from '#store/engine/timestamp.ts';
import { MAX_CLOCK_SKEW_MS, RETENTION_MS, type WriteEntry } from '#store/engine/write-history.ts';
import { widenNetwork } from '#store/port/network.ts';
import { StoreFailure } from '#store/port/store.ts';
import { CLOCK_TOLERANCE_MS } from '#store/postgres/connection/database-clock.ts';

const TAG_BYTES = 16;
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
   * @param of the meaning of the parts: a client key; a network by `widenNetwork`; the kind and client key
   *   of a write with its idempotency key or, by `hashContent`, its content; the id and network of a report
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
  readonly #secrets: readonly Buffer[] | KeyFolder;
  /** Days on which the other servers are known to have the same secret. */
  readonly #proven = new Set<number>();
  /** The tags of a UTC day, by its number, in the order of the secrets. */
  readonly #days = new Map<number, readonly DayTags[]>();

  /** @param secrets for all days, newest first, at least one; or a folder with one for each day */
  constructor(secrets: readonly Buffer[] | KeyFolder) {
    this.#secrets = secrets;
  }

  /**
   * Creates the secrets of a folder that a write needs now.
   * @throws StoreFailure without the folder, or if other servers have another secret; errors of the driver
   */
  async prepare(pool: Pick<pg.Pool, 'query'>, now: number): Promise<void> {
    if (!(this.#secrets instanceof KeyFolder)) return;
    for (const day of new Set([dayOf(now - CLOCK_TOLERANCE_MS), dayOf(now + CLOCK_TOLERANCE_MS)])) {
      if (this.#proven.has(day)) continue;
      const date = toDate(day);
      const secret = await explained(date, this.#secrets.make(date));
      const fingerprint = hash('sha256', secret, 'base64url');
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
      this.#keep(day, [secret]);
    }
  }

  /** Reads the secrets of a folder for `ofWindow`. @param now milliseconds since 1970 @throws StoreFailure */
  async load(now: number): Promise<void> {
    if (!(this.#secrets instanceof KeyFolder)) return;
    for (let day = firstDay(now, RETENTION_MS); day <= lastDay(now); day++) {
      if (this.#days.has(day)) continue;
      const secret = await explained(toDate(day), this.#secrets.read(toDate(day)));
      // Asked for again while there is none: another server may create the secret of the day.
      if (secret !== undefined) this.#keep(day, [secret]);
    }
  }

  /** Destroys the secrets of a folder that no write of the last 24 hours needs, and forgets their tags. */
  async destroyExpired(now: number): Promise<void> {
    const yesterday = dayOf(now) - 1;
    // If the disk fails, the next write reports it, and the next call tries again.
    if (this.#secrets instanceof KeyFolder)
      await this.#secrets.removeBefore(toDate(yesterday)).catch(() => undefined);
    for (const day of this.#days.keys()) if (day < yesterday) this.#days.delete(day);
  }

  /** @throws Error if the day has no secret before `prepare` */
  ofDay(time: number): DayTags {
    const [tags] = this.#tagsOf(dayOf(time));
    if (tags === undefined) throw new Error('there is no visitor secret');
    return tags;
  }

  toRow(entry: WriteEntry) {
    const { clientKey, limitScope, atMs: at, kind, id, key, content } = entry;
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
   * @param windowMs at most `RETENTION_MS`
   * @returns the tags under which a write younger than `windowMs` may be stored; call `load` first
   */
  ofWindow(now: number, windowMs: number): DayTags[] {
    const tags: DayTags[] = [];
    for (let day = firstDay(now, windowMs); day <= lastDay(now); day++) tags.push(...this.#tagsOf(day));
    return tags;
  }

  #tagsOf(day: number): readonly DayTags[] {
    return this.#days.get(day) ?? this.#keep(day, this.#secrets instanceof KeyFolder ? [] : this.#secrets);
  }

  #keep(day: number, secrets: readonly Buffer[]): readonly DayTags[] {
    const tags = secrets.map((secret) => new DayTags(deriveKey(secret, day)));
    if (tags.length > 0) this.#days.set(day, tags);
    return tags;
  }
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

const firstDay = (now: number, windowMs: number): number => dayOf(now - windowMs - CLOCK_TOLERANCE_MS);

const lastDay = (now: number): number => dayOf(now + MAX_CLOCK_SKEW_MS + CLOCK_TOLERANCE_MS);

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

/** @returns the secrets of the settings, else of a migration @throws StoreFailure; errors of the driver */
export async function readSecrets(
  { visitorSecrets, visitorSecretFolder }: SecretOptions,
  pool: pg.Pool,
): Promise<readonly Buffer[] | KeyFolder> {
  if (visitorSecretFolder !== undefined) return new KeyFolder(nodeDisk, visitorSecretFolder);
  if (visitorSecrets !== undefined) return visitorSecrets;
  const { rows } = await pool.query<{ secret: string }>('select secret from visitor_secret');
  const [row] = rows;
  if (row !== undefined) return [Buffer.from(row.secret, 'base64')];
  throw new StoreFailure(
    'nothing',
    'the table visitor_secret is empty; run "insert into visitor_secret default values"',
  );
}

/** @throws StoreFailure if the file of a day in VISITOR_SECRET_DIR cannot be used */
async function explained<Secret>(day: string, reading: Promise<Secret>): Promise<Secret> {
  try {
    return await reading;
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw error instanceof CorruptionError
      ? new StoreFailure('nothing', `VISITOR_SECRET_DIR: the file ${day} does not have ${KEY_BYTES} bytes`)
      : new StoreFailure('nothing', `VISITOR_SECRET_DIR cannot be used: ${code}`, { cause: error });
  }
}
