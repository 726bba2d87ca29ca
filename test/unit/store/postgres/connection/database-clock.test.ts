import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openPipelinedConnection, openPool, TIMEOUTS } from '#store/postgres/connection/connect.ts';
import { DatabaseClock } from '#store/postgres/connection/database-clock.ts';
import { Transaction } from '#store/postgres/connection/transaction.ts';
import { ClientTags } from '#store/postgres/schema/client-tags.ts';
import { readSnapshot } from '#store/postgres/write/snapshot.ts';
import { newDatabase, openStore } from '../../../../support/postgres/postgres.ts';
import { anOrigin } from '../../../../support/store/records.ts';
import { addPost } from '../../../../support/store/writes.ts';

const DAY_MS = 24 * 3_600_000;

test('a transaction whose clock is days off looks up again with the time of the database', async (t) => {
  const url = await newDatabase(t);
  const secrets = [randomBytes(32)];
  const store = await openStore({ url, visitorSecrets: secrets });
  await addPost(store, 'x', anOrigin('v'));
  await store.close();

  const location = { url, schema: 'porchlight', timeouts: TIMEOUTS };
  const pool = openPool(location, () => undefined);
  t.after(() => pool.end());
  const connection = await openPipelinedConnection(location);
  t.after(() => {
    connection.socket.destroy();
  });
  const clock = new DatabaseClock(Date.now(), () => undefined);
  const now = clock.now();
  clock.set(now - 5 * DAY_MS);
  const transaction = new Transaction(connection, performance.now() + 5000);
  const lookup = {
    type: 'recentWriteAges',
    by: { clientKey: 'v', limitScope: 'feed' },
    windowMs: DAY_MS,
    limit: 9,
  } as const;
  const context = { transaction, clock, tags: new ClientTags(secrets) };
  const { snapshot } = await readSnapshot(context, [lookup]);
  await transaction.rollBack();
  assert.equal(snapshot.recentWriteTimes(lookup).length, 1);
  assert.ok(Math.abs(clock.now() - now) < 10_000);
});
