import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { DATABASE_URL, newSchema, openClient, openStore } from '../../../support/postgres/postgres.ts';
import { addPost, aPost, aReply, anOrigin } from '../../../support/store/records.ts';

const ROWS = 5000;

test('no query of a read or a write scans a table', async (t) => {
  const schema = newSchema();
  const first = await openStore({ schema });
  const client = await openClient(t, schema);
  const idea = aPost('IDEA: x');
  const trace = anOrigin('v', { key: 'key-00001' });
  await first.write(async (writer) => {
    await writer.append('post', idea);
    for (let number = 0; number < ROWS; number++)
      await addPost(writer, String(number), anOrigin(`v${number}`, { content: String(number) }));
    await writer.append('post', aReply(idea.id, 'below'), trace);
  });
  const cleaner = new pg.Client(DATABASE_URL);
  await cleaner.connect();
  await cleaner.query(`vacuum analyze ${schema}.entry, ${schema}.visit, ${schema}.moderation`);
  // A backend reports its statistics when its connection ends.
  await Promise.all([first.close(), cleaner.end()]);
  const before = await scansOf();
  const store = await openStore({ schema });
  const bounds = { before: '9999', after: '0000', limit: 20 };
  for (const order of ['newest', 'oldest'] as const) {
    for (const range of [{}, { before: '9999' }, { after: '0000' }, bounds]) {
      await store.read.page('post', { limit: 20, ...range, order });
      await store.read.page('post', { limit: 20, ...range, order, within: idea.id });
    }
  }
  // PostgreSQL considers a generic plan after five executions of a prepared statement.
  for (let time = 0; time < 8; time++) {
    await store.read.find('post', idea.id);
    await store.read.unanswered('IDEA', 9);
    await store.read.recentWriteAges('v', 'feed', 1000, 24);
    await store.read.totals();
    await store.write(async (writer) => {
      await writer.idempotentHit('post', trace, 1000);
      await writer.recentWriteAges('v', 'feed', 1000, 100);
      await writer.recentDuplicate('post', anOrigin('w'), 1000);
      await writer.restore([
        { kind: 'post', record: { ...aPost('x'), createdAt: `2020-01-01T00:00:00.00000${time}Z` } },
      ]);
    });
  }
  const { record } = await store.write((writer) => addPost(writer, 'gone'));
  await store.write((writer) => writer.hide(record.id, 'x'));
  await store.close();
  assert.deepEqual(await scansOf(), before);

  /** @returns the number of sequential scans of each table */
  async function scansOf(): Promise<unknown> {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { rows } = await client.query(
      "select relname, seq_scan from pg_stat_user_tables where schemaname = $1 and relname in ('entry', 'visit') order by relname",
      [schema],
    );
    return rows;
  }
});
