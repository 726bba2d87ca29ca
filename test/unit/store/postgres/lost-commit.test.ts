import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueryResultRow } from 'pg';
import { isCommitted } from '#store/postgres/write/postgres-write-engine.ts';
import { openClient, openNewStore } from '../../../support/postgres/postgres.ts';
import { addPost, erase, hide } from '../../../support/store/writes.ts';

// A database that crashed gives the id of a transaction that it lost to another one, which then is committed.
test('a batch counts as committed only if its own record or moderation is there', async (t) => {
  const { url, store } = await openNewStore(t);
  const client = await openClient(t, url);
  const transaction = {
    query: async <Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
      (await client.query<Row>(text, values)).rows,
  };
  const { record } = await addPost(store, 'stored');
  const { rows } = await client.query<{ xid: string; arrival: number }>(
    'select xmin::text as xid, arrival::int from entry where id = $1',
    [record.id],
  );
  const { xid: transactionId, arrival } = rows[0]!;
  const isStored = (trace: object, of = transactionId): Promise<boolean> =>
    isCommitted(transaction, { transactionId: of, id: record.id, arrival, frozenAt: null, ...trace });
  assert.equal(await isStored({}), true);
  assert.equal(await isStored({ id: 'post_lost' }), false, 'of another instance');
  assert.equal(await isStored({ arrival: arrival + 1 }), false, 'imported by another instance');
  assert.equal(await isStored({ id: null, frozenAt: '2026-01-01T00:00:00.000000Z' }), false, 'a freeze');
  await client.query('begin');
  const { rows: open } = await client.query<{ id: string }>('select pg_current_xact_id()::text as id');
  await client.query('rollback');
  assert.equal(await isStored({}, open[0]!.id), false, 'rolled back');
  await hide(store, record.id);
  assert.equal(await isStored({ arrival: arrival + 1 }), true, 'a moderation');
  assert.equal(await isStored({}), true, 'hidden since');
  await erase(store, record.id);
  assert.equal(await isStored({}), true, 'erased since');
});
