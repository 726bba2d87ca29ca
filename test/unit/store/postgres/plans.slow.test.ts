import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { Post } from '#store/port/records.ts';
import { newDatabase, openClient, openStore } from '../../../support/postgres/postgres.ts';
import { aPost, aReply, anOrigin, newId } from '../../../support/store/records.ts';
import {
  addPost,
  addRecord,
  erase,
  hide,
  idempotentHit,
  importEntries,
  lookUp,
  recentDuplicate,
} from '../../../support/store/writes.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const HOUR_MS = 3_600_000;
const ROWS = 5000;

/** Writes that are submitted at once. */
const CHUNK = 500;

/** A WORK or REVIEW, now and then an IDEA or RESULT, some years old: its WORKs are on no list any more. */
function aRecord(n: number, now: number): { record: Post } {
  const prefix = ['IDEA', 'RESULT'][n % 100] ?? (n % 2 === 0 ? 'WORK' : 'REVIEW');
  const createdAt = new Date(now - (2000 * 86_400_000 + n * 1000)).toISOString().replace('Z', '000Z');
  return { record: { ...aPost(`${prefix}: about ${newId('post')}`, { name: `n${n}` }), createdAt } };
}

test('no query of a read or a write scans a table', async (t) => {
  const url = await newDatabase(t);
  const first = await openStore({ url });
  const client = await openClient(t, url);
  const idea = aPost('IDEA: x');
  const trace = anOrigin('v', { key: 'key-00001' });
  await addRecord(first, 'post', idea);
  for (let from = 0; from < ROWS; from += CHUNK) {
    const posts = Array.from({ length: CHUNK }, (_, n) => {
      const text = String(from + n);
      return addPost(first, text, anOrigin(`v${text}`, { content: text }));
    });
    await Promise.all(posts);
  }
  await addRecord(first, 'post', aReply(idea.id, 'below'), trace);
  const result = aReply(idea.id, `RESULT: of ${idea.id}`);
  await addRecord(first, 'post', result);
  for (let from = 0; from < ROWS; from += CHUNK) {
    const naming = Array.from({ length: CHUNK }, () => addPost(first, `about ${newId('post')}`));
    await Promise.all(naming);
  }
  const now = Date.now();
  for (let from = 0; from < ROWS; from += CHUNK) {
    const works = Array.from({ length: CHUNK }, (_, n) => {
      const { record } = aRecord(from + n, now);
      return { kind: 'post' as const, record };
    });
    await importEntries(first, works);
  }
  const cleaner = new pg.Client(url);
  await cleaner.connect();
  await cleaner.query(`set search_path = porchlight`);
  await cleaner.query('vacuum analyze entry, mention, thread, write_history, moderation');
  // A backend reports its statistics when its connection ends.
  await Promise.all([first.close(), cleaner.end()]);
  const before = await scansOf();
  const store = await openStore({ url });
  const bounds = { before: '9999', after: '0000', limit: 20 };
  for (const order of ['newest', 'oldest'] as const) {
    for (const range of [{}, { before: '9999' }, { after: '0000' }, bounds]) {
      await store.read.page('post', { limit: 20, ...range, order });
      await store.read.page('post', { limit: 20, ...range, order, within: idea.id });
      await store.read.page('post', { limit: 20, ...range, order, thread: idea.id });
    }
  }
  // The first call reads every step, by pages, and the next ones what came since.
  await store.read.steps();
  for (let time = 0; time < 8; time++) {
    await addPost(store, `WORK: on ${idea.id}`);
    assert.equal((await store.read.steps()).at(-1)?.prefix, 'WORK');
  }
  // PostgreSQL considers a generic plan after five executions of a prepared statement.
  for (let time = 0; time < 8; time++) {
    await store.read.find('post', idea.id);
    await store.read.feed({ words: ['1234'] }, { limit: 20, maxCandidates: 50 });
    await store.read.feed({ prefix: null, threads: true }, { limit: 20, maxCandidates: 50 });
    await store.read.feed({ name: `n${time}` }, { limit: 20, maxCandidates: 50 });
    const news = { after: '9999', limit: 20, maxCandidates: 50 };
    await store.read.news({ posts: [idea.id, result.id] }, news);
    await store.read.news({ words: ['x'], prefix: 'WORK' }, news);
    await store.read.news({}, news);
    await store.read.newsOfThreads({ posts: [idea.id, result.id] }, news);
    await store.read.newsOfThreads({ prefix: 'WORK' }, news);
    await store.read.threads({ order: 'newest', tail: 60, limit: 20 });
    await store.read.threads({ order: 'oldest', after: '9', limit: 20, except: [idea.id] });
    await store.read.dayCounts({ after: '9999' });
    await store.read.firstPosts(20);
    assert.notEqual(await store.read.log({ n: 1, id: idea.id }, 20), null);
    await store.read.recentWriteAges('v', 'feed', 1000, 24);
    await store.read.posts([idea.id, result.id]);
    await store.read.countPosts({ after: '9999' }, 20);
    await addPost(store, `REVIEW: of ${result.id}`);
    await addPost(store, `WORK: on ${idea.id}`);
    await store.read.totals();
    const both = [idea.id, result.id];
    await store.read.related({ posts: both, heads: both, known: both, numbers: both, sizes: both });
    await store.read.referrersOf(idea.id, 20);
    await store.read.find('post', result.id);
    const created = { ...aPost('x'), createdAt: `2020-01-01T00:00:00.00000${time}Z` };
    const moderation = { action: 'hide', id: created.id, at: created.createdAt, reason: 'x' } as const;
    const by = { clientKey: 'v', limitScope: 'feed' } as const;
    await Promise.all([
      idempotentHit(store, 'post', trace, HOUR_MS),
      lookUp(store, { type: 'recentWriteAges', by, windowMs: HOUR_MS, limit: 100 }),
      lookUp(store, { type: 'recentWriteAges', by: { widened: 'v' }, windowMs: HOUR_MS, limit: 100 }),
      recentDuplicate(store, 'post', trace, HOUR_MS),
      lookUp(store, { type: 'laterPosts', after: '9999', limit: 201 }),
      importEntries(store, [{ kind: 'post', record: created }, moderation]),
      addRecord(store, 'post', aReply(idea.id, 'below'), anOrigin('w')),
    ]);
  }
  const { record } = await addPost(store, 'gone');
  await hide(store, record.id);
  await erase(store, record.id);
  await store.close();
  const after = await scansOf();
  assert.deepEqual(after.tables, before.tables);
  // An index that is read from end to end is a scan too.
  assert.ok(
    // All steps, and less than a table besides.
    after.rowsRead - before.rowsRead < 3 * ROWS,
    `${after.rowsRead - before.rowsRead} rows were read`,
  );

  /** @returns the number of sequential scans of each table, and of the rows that were read from an index */
  async function scansOf(): Promise<{ tables: unknown; rowsRead: number }> {
    await waitUntil(async () => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where datname = current_database()
          and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      return rowCount === 0;
    });
    const { rows } = await client.query(
      `select relname, seq_scan from pg_stat_user_tables where relname in ('entry', 'mention', 'thread',
        'write_history') order by relname`,
    );
    const { rows: read } = await client.query<{ total: number }>(
      'select sum(idx_tup_read)::float8 as total from pg_stat_user_indexes',
    );
    return { tables: rows, rowsRead: read[0]!.total };
  }
});
