import assert from 'node:assert/strict';
import test from 'node:test';
import { StorageLimit } from '#workspace/limits/storage-limit.ts';

test('writes are refused while the store has its limit or more, and each change of that is reported once', () => {
  let bytes: number | undefined;
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  const limit = new StorageLimit({ store: { sizeInBytes: () => bytes }, maxBytes: 1000, report });
  assert.equal(limit.isReached(), false, 'before the first measurement');
  for (const [measured, isReached] of [
    [10, false],
    [999, false],
    [1000, true],
    [1600, true],
    [20, false],
  ] as const) {
    bytes = measured;
    for (let n = 0; n < 2; n++) assert.equal(limit.isReached(), isReached, String(measured));
    const failure = limit.reached()?.failure;
    assert.deepEqual(
      failure && [failure.code, failure.retryAfterSeconds],
      isReached ? ['storage_full', 600] : undefined,
    );
  }
  assert.deepEqual(reports, [
    'the store occupies 1000 bytes of STORE_MAX_BYTES=1000: writes are refused',
    'the store occupies 20 bytes of STORE_MAX_BYTES=1000: writes are accepted again',
  ]);
});
