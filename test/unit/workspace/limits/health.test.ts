import assert from 'node:assert/strict';
import test from 'node:test';
import { checkHealth } from '#workspace/limits/health.ts';

const WORKING = { writable: true, reason: null, notifying: false };
const FAILING = { writable: false, reason: 'the disk is full', notifying: true };

const check = (health: typeof WORKING | typeof FAILING, frozen: boolean | Error, isFull: boolean) =>
  checkHealth(
    {
      health: async () => health,
      read: { frozen: () => (frozen instanceof Error ? Promise.reject(frozen) : Promise.resolve(frozen)) },
    },
    { isReached: () => isFull },
  );

test('a working store is writable unless it is frozen or full', async () => {
  const expected = { writable: true, frozen: false, code: null, reason: null, notifying: false };
  assert.deepEqual(await check(WORKING, false, false), expected);
  assert.deepEqual(await check(WORKING, true, false), { ...expected, writable: false, frozen: true });
  const full = { ...expected, writable: false, code: 'storage_full' };
  assert.deepEqual(await check(WORKING, false, true), full);
  assert.deepEqual(await check(WORKING, true, true), { ...full, frozen: true });
});

test('a failing store is storage_unavailable with its reason, even if its frozen state cannot be read', async () => {
  const expected = {
    writable: false,
    code: 'storage_unavailable',
    reason: 'the disk is full',
    notifying: true,
  };
  assert.deepEqual(await check(FAILING, true, true), { ...expected, frozen: true });
  assert.deepEqual(await check(FAILING, new Error('away'), false), { ...expected, frozen: null });
});
