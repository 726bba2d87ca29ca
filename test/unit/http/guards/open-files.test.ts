import assert from 'node:assert/strict';
import test from 'node:test';
import { openFileLimit } from '#http/guards/connection-limit.ts';

test('openFileLimit returns the soft limit of the system, Infinity without one', () => {
  assert.ok(openFileLimit(process.report) > 0);
  const reporting = (report: object) => ({ ...process.report, getReport: () => report });
  assert.equal(openFileLimit(reporting({ userLimits: { open_files: { soft: 256, hard: 512 } } })), 256);
  assert.equal(
    openFileLimit(reporting({ userLimits: { open_files: { soft: 'unlimited', hard: 'unlimited' } } })),
    Infinity,
  );
  assert.equal(openFileLimit(reporting({})), Infinity);
});
