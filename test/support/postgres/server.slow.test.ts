import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import pg from 'pg';
import { temporaryFolder } from '../folder.ts';
import { installedPostgres } from './binaries.ts';
import { PostgresProcess } from './process.ts';

test('PostgreSQL runs from a checkout that only the current user may enter, root included', async (t) => {
  const home = await temporaryFolder(t);
  const installed = join(home, 'postgres');
  cpSync(await installedPostgres(), installed, { recursive: true, verbatimSymlinks: true });
  // As npm installs them with the umask 077.
  for (const name of readdirSync(join(installed, 'bin'))) chmodSync(join(installed, 'bin', name), 0o700);
  chmodSync(home, 0o700);

  const server = await PostgresProcess.create({ installed });
  await server.start();
  const client = new pg.Client(server.url);
  await client.connect();
  const { rows } = await client.query<{ sum: number }>('select 1 + 1 as sum');
  await client.end();
  await server.stop();

  assert.deepEqual(rows, [{ sum: 2 }]);
  assert.equal(existsSync(server.data), false);
});
