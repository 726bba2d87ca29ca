import assert from 'node:assert/strict';
import test from 'node:test';
import { checkHealth } from '#workspace/limits/health.ts';

const check = (frozen: boolean | Error, isFull: boolean) =>
  checkHealth(
    {
      health: async () => ({ writable: false, reason: 'the disk is full', notifying: true }),
      read: {
        frozen: () => (frozen instanceof Error ? Promise.reject(frozen) : Promise.resolve(frozen)),
        news: async () => ({ records: [], more: false, latest: null, nextAfter: '', scanned: 0 }) as never,
      },
    },
    { isReached: () => isFull },
    () => 0,
  );

test('a failing store is storage_unavailable with its reason, even if its frozen state cannot be read', async () => {
  const expected = {
    writable: false,
    code: 'storage_unavailable',
    reason: 'the disk is full',
    notifying: true,
    clockBehind: false,
  };
  assert.deepEqual(await check(true, true), { ...expected, frozen: true });
  assert.deepEqual(await check(new Error('away'), false), { ...expected, frozen: null });
});
