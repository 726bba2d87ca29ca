import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { runMirrors } from '../torture/support/mirror-run.ts';
import { SeededRandom } from '../torture/support/random.ts';

test('mirrors that were killed at random moments equal their origin over every surface', async (t) => {
  const { faults, records, erased } = await runMirrors({
    random: new SeededRandom(1),
    originFolder: await temporaryFolder(t),
    mirrors: [{ DATA_DIR: await temporaryFolder(t) }, { DATABASE_URL: await newDatabase(t) }],
    cuts: 12,
    maxUptimeMs: 3000,
    maxPauseMs: 20,
  });
  assert.deepEqual(faults, []);
  assert.ok(records > 100 && erased > 0, `${records} records, ${erased} erased`);
});
