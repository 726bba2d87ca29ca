import assert from 'node:assert/strict';
import test from 'node:test';
import { coalesced } from '#store/postgres/read/run-query.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

test('calls during a running query share the next one, so that no result is older than its call', async () => {
  let truth = 1;
  let asked = 0;
  let answer = (): void => undefined;
  const query = coalesced(async () => {
    asked += 1;
    const seen = truth;
    await new Promise<void>((resolve) => (answer = resolve));
    return seen;
  });
  const first = [query(), query()];
  await waitUntil(() => asked === 1);
  truth = 2;
  const second = [query(), query(), query()];
  answer();
  assert.deepEqual(await Promise.all(first), [1, 1]);
  await waitUntil(() => asked === 2);
  answer();
  assert.deepEqual(await Promise.all(second), [2, 2, 2]);
  truth = 3;
  const third = query();
  await waitUntil(() => asked === 3);
  answer();
  assert.equal(await third, 3);
});
