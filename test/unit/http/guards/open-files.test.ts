import assert from 'node:assert/strict';
import test from 'node:test';
import { openFileLimit } from '#http/guards/connection-limit.ts';

const reporting = (report: object) => ({ ...process.report, getReport: () => report });

test('openFileLimit returns the soft limit of the system, Infinity without one', () => {
  assert.equal(openFileLimit(process.report), openFileLimit(process.report, ''));
  const limited = reporting({ userLimits: { open_files: { soft: 256, hard: 512 } } });
  assert.equal(openFileLimit(limited, ''), 256);
  const unlimited = reporting({ userLimits: { open_files: { soft: 'unlimited', hard: 'unlimited' } } });
  assert.equal(openFileLimit(unlimited, ''), Infinity);
  assert.equal(openFileLimit(reporting({}), ''), Infinity);
});

test('openFileLimit reads the file in which Linux has it, and needs no report then', () => {
  const line = (soft: string): string =>
    `Limit                     Soft Limit           Hard Limit           Units
Max processes             128                  256                  processes
Max open files            ${soft.padEnd(20)} 4096                 files
`;
  const report = {
    ...process.report,
    getReport: () => assert.fail('a report was made'),
  };
  assert.equal(openFileLimit(report, line('1024')), 1024);
  assert.equal(openFileLimit(report, line('unlimited')), Infinity);
});
