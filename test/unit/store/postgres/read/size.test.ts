import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSizeReader } from '#store/postgres/read/run-query.ts';
import { newDatabase, openClient, openStore } from '../../../../support/postgres/postgres.ts';
import { addPost } from '../../../../support/store/writes.ts';

function fakeReader() {
  const state = { now: 0, bytes: 100, asked: 0, fails: false };
  const ask = async (): Promise<never[]> => {
    state.asked += 1;
    if (state.fails) throw new Error('away');
    return [{ bytes: state.bytes }] as never[];
  };
  return { state, reader: createSizeReader(ask, () => state.now) };
}

test('the size is read from the cache, and measured again after five seconds without waiting for it', async () => {
  const { state, reader } = fakeReader();
  assert.equal(reader.read(), undefined);
  await reader.refresh();
  state.bytes = 200;
  state.now = 4999;
  assert.equal(reader.read(), 100);
  assert.equal(state.asked, 1);
  state.now = 5000;
  assert.equal(reader.read(), 100);
  assert.equal(reader.read(), 100);
  assert.equal(state.asked, 2);
  await reader.refresh();
  assert.equal(reader.read(), 200);
});

test('a measurement that fails leaves the last size, and the next one is five seconds later', async () => {
  const { state, reader } = fakeReader();
  await reader.refresh();
  state.fails = true;
  state.now = 5000;
  assert.equal(reader.read(), 100);
  await reader.refresh();
  assert.equal(reader.read(), 100);
  assert.equal(state.asked, 2);
});

test('the size is that of all tables of the schema with their indexes, known when the store opens', async (t) => {
  const url = await newDatabase(t);
  const first = await openStore({ url });
  const empty = first.sizeInBytes() ?? 0;
  assert.ok(empty > 0);
  await Promise.all(Array.from({ length: 100 }, () => addPost(first, 'x'.repeat(8000))));
  await first.close();
  const again = await openStore({ url });
  t.after(() => again.close());
  const client = await openClient(t, url);
  const { rows } = await client.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass))::float8 as bytes
     from pg_tables where schemaname = 'porchlight'`,
  );
  assert.equal(again.sizeInBytes(), rows[0]!.bytes);
  assert.ok(rows[0]!.bytes > empty);
});
