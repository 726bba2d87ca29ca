import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';

const CRASHES = {
  uncaughtException: 'setTimeout(() => { throw new Error("a bug"); })',
  unhandledRejection: 'void Promise.reject(new Error("a bug"))',
};
const ROOT = join(import.meta.dirname, '../..');

for (const [origin, statement] of Object.entries(CRASHES)) {
  test(`${origin} is logged with a reference, and the process exits with status 1`, () => {
    const program = `
      import { logCrashes } from './src/crash-log.ts';
      logCrashes('info');
      setInterval(() => undefined, 1000);
      ${statement}`;
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', program],
      { cwd: ROOT, encoding: 'utf8' },
    );
    const line = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    assert.equal(status, 1);
    assert.equal(line['origin'], origin);
    assert.match(String(line['reference']), /^[0-9a-f-]{36}$/);
    assert.equal((line['err'] as { message: string }).message, 'a bug');
  });
}
