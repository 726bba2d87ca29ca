import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPipelinedConnection, openPool, TIMEOUTS } from '#store/postgres/connection/connect.ts';
import { DATABASE_URL } from '../../../../support/postgres/postgres.ts';

test('no connection lets PostgreSQL compile plans, which up to 17 it would do for each statement', async (t) => {
  const location = { url: DATABASE_URL, schema: 'public', timeouts: TIMEOUTS };
  const pool = openPool(location, () => undefined);
  t.after(() => pool.end());
  const { client, socket } = await openPipelinedConnection(location);
  t.after(() => socket.destroy());

  for (const connection of [pool, client])
    assert.deepEqual((await connection.query('show jit')).rows, [{ jit: 'off' }]);
});
