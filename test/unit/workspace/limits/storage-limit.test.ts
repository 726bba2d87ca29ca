import assert from 'node:assert/strict';
import test from 'node:test';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { StorageLimit } from '#workspace/limits/storage-limit.ts';

function limitOf(maxBytes: number) {
  const store = { bytes: 0 as number | undefined, sizeInBytes: () => store.bytes };
  const reports: string[] = [];
  return {
    store,
    reports,
    limit: new StorageLimit({ store, maxBytes, report: (message) => reports.push(message) }),
  };
}

test('reached returns storage_full once the size of the store equals the limit', () => {
  const { store, limit } = limitOf(1000);
  store.bytes = 999;
  assert.equal(limit.reached(), undefined);
  store.bytes = 1000;
  const error = limit.reached();
  assert.ok(error instanceof WorkspaceError);
  assert.equal(error.failure.code, 'storage_full');
  assert.equal(error.failure.retryAfterSeconds, 600);
});

test('the limit is not reached before the first measurement', () => {
  const { store, limit } = limitOf(1);
  store.bytes = undefined;
  assert.equal(limit.isReached(), false);
});

test('reaching the limit and falling below it are each reported once', () => {
  const { store, limit, reports } = limitOf(1000);
  for (const bytes of [10, 1500, 1500, 1600, 20, 20]) {
    store.bytes = bytes;
    limit.isReached();
  }
  assert.deepEqual(reports, [
    'the store occupies 1500 bytes of STORE_MAX_BYTES=1000: writes are refused',
    'the store occupies 20 bytes of STORE_MAX_BYTES=1000: writes are accepted again',
  ]);
});
