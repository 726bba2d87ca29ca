import assert from 'node:assert/strict';
import test from 'node:test';
import { openFileLimit } from '#http/guards/open-files.ts';

test('how many files may be open is what the system says', () => {
  assert.ok(openFileLimit(process.report) > 0);
  const saying = (report: object) => ({ ...process.report, getReport: () => report });
  assert.equal(openFileLimit(saying({ userLimits: { open_files: { soft: 256, hard: 512 } } })), 256);
  assert.equal(
    openFileLimit(saying({ userLimits: { open_files: { soft: 'unlimited', hard: 'unlimited' } } })),
    Infinity,
  );
  assert.equal(openFileLimit(saying({})), Infinity);
});
