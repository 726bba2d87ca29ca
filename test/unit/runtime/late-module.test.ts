import assert from 'node:assert/strict';
import test from 'node:test';
import { lateModule } from '#runtime/late-module.ts';

test('a late module is loaded once, and again after a failure', async () => {
  let attempts = 0;
  const load = lateModule(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('the file is gone');
    return { attempts };
  });
  await assert.rejects(load(), /the file is gone/);
  const [one, other] = await Promise.all([load(), load()]);
  assert.deepEqual(one, { attempts: 2 });
  assert.equal(one, other);
});
