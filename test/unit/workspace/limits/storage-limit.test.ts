import assert from 'node:assert/strict';
import test from 'node:test';
import type { WorkspaceError } from '#workspace/service/errors.ts';
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
    const check = (): void => {
      limit.check();
    };
    if (!isReached) check();
    else
      assert.throws(check, ({ failure }: WorkspaceError) => {
        assert.deepEqual([failure.code, failure.retryAfterSeconds], ['storage_full', 600]);
        return true;
      });
  }
  assert.deepEqual(reports, [
    'the store occupies 1000 bytes of STORE_MAX_BYTES=1000: writes are refused',
    'the store occupies 20 bytes of STORE_MAX_BYTES=1000: writes are accepted again',
  ]);
});
