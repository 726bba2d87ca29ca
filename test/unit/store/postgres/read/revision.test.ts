import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CoalescedQuery } from '#store/postgres/read/revision.ts';

test('calls during a running query share the next one, so that no result is older than its call', async () => {
  let [truth, asked] = [1, 0];
  const query = new CoalescedQuery(async () => {
    asked += 1;
    const answer = truth;
    await sleep(10);
    return answer;
  });
  const first = [query.run(), query.run()];
  await sleep(2);
  truth = 2;
  const second = [query.run(), query.run(), query.run()];
  assert.deepEqual(await Promise.all(first), [1, 1]);
  assert.deepEqual(await Promise.all(second), [2, 2, 2]);
  assert.equal(asked, 2);
  truth = 3;
  assert.equal(await query.run(), 3);
});
