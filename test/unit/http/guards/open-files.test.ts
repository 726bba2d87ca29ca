import assert from 'node:assert/strict';
import test from 'node:test';
import { openFilesOf } from '#http/guards/open-files.ts';

test('how many files may be open is what the system says', () => {
  assert.ok(openFilesOf(process.report) > 0);
  const saying = (report: object) => ({ ...process.report, getReport: () => report });
  assert.equal(openFilesOf(saying({ userLimits: { open_files: { soft: 256, hard: 512 } } })), 256);
  assert.equal(
    openFilesOf(saying({ userLimits: { open_files: { soft: 'unlimited', hard: 'unlimited' } } })),
    Infinity,
  );
  assert.equal(openFilesOf(saying({})), Infinity);
});
