import assert from 'node:assert/strict';
import test from 'node:test';
import { checkHealth } from '#workspace/limits/health.ts';

const WORKING = { writable: true, reason: null, notifying: false };
const FAILING = { writable: false, reason: 'the disk is full', notifying: true };

const NOW = Date.parse('2026-03-02T16:00:00Z');

const check = (
  health: typeof WORKING | typeof FAILING,
  frozen: boolean | Error,
  isFull: boolean,
  latest: string | null = null,
) =>
  checkHealth(
    {
      health: async () => health,
      read: {
        frozen: () => (frozen instanceof Error ? Promise.reject(frozen) : Promise.resolve(frozen)),
        news: async () => ({ records: [], more: false, latest, nextAfter: '', scanned: 0 }) as never,
      },
    },
    { isReached: () => isFull },
    () => NOW,
  );

test('a working store is writable unless it is frozen or full', async () => {
  const expected = {
    writable: true,
    frozen: false,
    code: null,
    reason: null,
    notifying: false,
    clockBehind: false,
  };
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
    clockBehind: false,
  };
  assert.deepEqual(await check(FAILING, true, true), { ...expected, frozen: true });
  assert.deepEqual(await check(FAILING, new Error('away'), false), { ...expected, frozen: null });
});

test('a clock that is over a minute behind the newest record is said', async () => {
  const isBehind = async (latest: string): Promise<boolean> =>
    (await check(WORKING, false, false, latest)).clockBehind;
  assert.equal(await isBehind('2026-03-02T16:00:59.000000Z'), false);
  assert.equal(await isBehind('2027-03-02T16:00:00.000000Z'), true);
});
