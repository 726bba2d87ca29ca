import { closeSync, cpSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import type { ExportedRecord, Post } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { importEntry } from '#workspace/log/import-entry.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { Programs } from './programs.ts';

/** Posts of a large store, of the largest folder, and of the database that is searched. */
export const LARGE = 100_000;
export const LARGEST = 300_000;
/** The time for which a server that has just opened `LARGE` messages adds their words to its search index. */
export const SETTLE_MS = 20_000;
export const DATABASE = 1_000_000;

/** Posts of a store whose size does not matter. */
export const SMALL = 1000;

const START = Date.UTC(2026, 0, 1);

/** The clock of stores in the process of the bench: no record is old. */
export const CLOCK = { now: () => START };

export const report = (): void => undefined;

const BATCH_SIZE = 2000;

const TEXT =
  'What I produced: a list of the opening hours of the town libraries, with the source and the date of each. '.repeat(
    2,
  );

/** The id of the n-th oldest post; of an older one than all of them with a negative n. */
export function postId(n: number): string {
  return `post_019${n < 0 ? 'b' : 'c'}9a31-6400-7000-8000-${Math.abs(n).toString(16).padStart(12, '0')}`;
}

/** The timestamp of the n-th oldest post. They are one second apart. */
export const postTime = (n: number): string => timestampAt(START + n * 1000);

/** Posts of about 210 characters, the oldest first. Every fifth begins a thread. */
export function* posts(from: number, to: number): Iterable<ExportedRecord<'post'>> {
  for (let n = from; n < to; n++) {
    const id = postId(n);
    const rootId = postId(Math.floor(n / 5) * 5);
    const parentId = id === rootId ? null : rootId;
    const createdAt = postTime(n);
    yield {
      kind: 'post',
      record: { id, message: `${n} ${TEXT}`, prefix: null, parentId, rootId, createdAt },
    };
  }
}

/** WORKs of the last hours, each on an IDEA of its own. None is due before a day has passed. */
export function* works(count: number): Iterable<ExportedRecord<'post'>> {
  const idOf = (kind: number, n: number): string =>
    `post_019c9a32-${kind}000-7000-8000-${n.toString(16).padStart(12, '0')}`;
  for (let n = 0; n < count; n++) {
    const idea = idOf(1, n);
    yield step(idea, 'IDEA', null, idea, postTime(2 * (n - count)));
    yield step(idOf(2, n), 'WORK', idea, idea, postTime(2 * (n - count) + 1));
  }
}

function step(
  id: string,
  prefix: string,
  parentId: string | null,
  rootId: string,
  createdAt: string,
): ExportedRecord<'post'> {
  const record: Post = { id, message: `${prefix}: x`, prefix, parentId, rootId, createdAt };
  return { kind: 'post', record };
}

/** Adds records to a store, as an import does. */
export async function fill(store: Store, records: Iterable<ExportedRecord<'post'>>): Promise<void> {
  let batch: Promise<unknown>[] = [];
  for (const record of records) {
    batch.push(importEntry(store, record));
    if (batch.length < BATCH_SIZE) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
}

/** Longer than the pauses of the background work. */
const QUIET_MS = 3000;

/** Settles once the search index of a folder no longer grows. */
export async function prepareWholeSearch(store: Store): Promise<void> {
  store.prepareSearch?.();
  for (let before = -1, now = 0; now !== before; ) {
    before = now;
    await sleep(QUIET_MS);
    now = store.searchIndexBytes?.() ?? 0;
  }
}

/** The distance between consecutive offsets, large enough that their pages seldom overlap. */
const STRIDE = 7919;

/** @returns a function that returns offsets in a store, far apart, each only once */
export function scatter(stored: number): () => number {
  let used = 0;
  return () => (used++ * STRIDE) % stored;
}

/** Stores of several sizes, each filled once in a run. */
export class Data {
  readonly #programs = new Programs();
  readonly #folders = new Map<number, string>();
  readonly #templates = new Map<number, string>();
  #postgres: Awaited<ReturnType<typeof startPostgres>> | undefined;
  #databases = 0;

  /** The folder with `count` posts, which may be copied or read but not written to. */
  async folder(count: number): Promise<string> {
    const folder = this.#folders.get(count) ?? this.#programs.path(String(count));
    // Another process fills it, so that this one, which makes the load, has a small heap.
    if (!this.#folders.has(count)) {
      await this.#programs.startStoreProcess(folder)('fill', count);
      await this.#programs.stopAll();
    }
    this.#folders.set(count, folder);
    return folder;
  }

  /** Copies the folder with `count` posts. @returns the path of the copy */
  async copyFolder(count: number): Promise<string> {
    const folder = this.#programs.path('copy');
    cpSync(await this.folder(count), folder, { recursive: true });
    // Otherwise the first sync of a program that uses the copy would write all of it.
    for (const name of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (name.isFile()) syncFile(join(name.parentPath, name.name));
    return folder;
  }

  /** Copies the database with `count` posts. @returns the URL of the copy */
  async copyDatabase(count: number): Promise<string> {
    this.#postgres ??= await startPostgres();
    const template = this.#templates.get(count) ?? (await this.#createTemplate(count));
    const name = `copy_${++this.#databases}`;
    await this.#execute('postgres', `create database ${name} template ${template}`);
    return this.#databaseUrl(name);
  }

  async close(): Promise<void> {
    await this.#programs.close();
    await this.#postgres?.stop();
  }

  async #createTemplate(count: number): Promise<string> {
    const name = `filled_${count}`;
    await this.#execute('postgres', `create database ${name}`);
    const store = await openPostgresStore({ url: this.#databaseUrl(name), clock: CLOCK, report });
    await fill(store, posts(0, Math.min(count, LARGE)));
    await store.close();
    if (count > LARGE) await this.#execute(name, ...multiplied(count / LARGE));
    // Otherwise autovacuum would run during a measurement.
    await this.#execute(name, 'vacuum analyze');
    this.#templates.set(count, name);
    return name;
  }

  #databaseUrl(name: string): string {
    return Object.assign(new URL(this.#postgres!.url), { pathname: name }).href;
  }

  async #execute(database: string, ...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.#databaseUrl(database) });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }
}

/**
 * Statements that add older copies of all posts, in a fifth of the time that a store takes for a million. The
 * copies are for searches: the threads and totals do not count them.
 */
function multiplied(times: number): string[] {
  return [
    'set search_path = porchlight',
    'drop index entry_words',
    `insert into entry (id, kind, created_at, parent_id, prefix, children, body, words, step, arrival)
      select copy.id, kind, copy.created_at, replace(parent_id, 'post_019c', copy.beginning), prefix, children,
        replace(replace(body::text, 'post_019c', copy.beginning), entry.created_at, copy.created_at)::json,
        words, step, arrival
      from entry, generate_series(1, ${times - 1}) as n, lateral (
        select 'post_018' || to_hex(n) as beginning, replace(id, 'post_019c', 'post_018' || to_hex(n)) as id,
          to_char(created_at::timestamptz at time zone 'UTC' - n * interval '${LARGE} seconds',
            'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at) as copy`,
    "create index entry_words on entry using gin (words) where not hidden and kind = 'post'",
  ];
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
