import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { firstOf } from '../../support/thorough.ts';

const CRASHES = {
  uncaughtException: 'setTimeout(() => { throw new Error("a bug"); })',
  unhandledRejection: 'void Promise.reject(new Error("a bug"))',
};
const ROOT = join(import.meta.dirname, '../../..');

/** @returns the exit code of a program that logs its crashes, and what it logs */
function crash(statement: string): { status: number | null; line: Record<string, unknown> } {
  const program = `
    import { logCrashes } from './src/server/logger.ts';
    logCrashes('info');
    setInterval(() => undefined, 1000);
    ${statement}`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', program],
    { cwd: ROOT, encoding: 'utf8' },
  );
  return { status, line: JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Record<string, unknown> };
}

for (const [origin, statement] of firstOf(Object.entries(CRASHES))) {
  test(`${origin} is logged with a reference, and the process exits with status 1`, () => {
    const { status, line } = crash(statement);
    assert.equal(status, 1);
    assert.equal(line['origin'], origin);
    assert.match(String(line['reference']), /^[0-9a-f-]{36}$/);
    assert.equal((line['err'] as { message: string }).message, 'a bug');
  });
}

test('a crash is logged without the properties in which errors hold what they refuse', () => {
  const { line } = crash(`setTimeout(() => {
    const error = Object.assign(new Error('a bug'), { code: '23502', detail: 'Failing row contains (private).' });
    error.cause = Object.assign(new Error('deeper'), { rawPacket: Buffer.from('private') });
    throw error;
  })`);
  const { stack, ...err } = line['err'] as Record<string, unknown>;
  assert.deepEqual(err, { type: 'Error', message: 'a bug: deeper', code: '23502' });
  assert.match(String(stack), /^Error: a bug\n {4}at .+caused by: Error: deeper\n {4}at /s);
  assert.deepEqual(crash(`setTimeout(() => { throw 'private text'; })`).line['err'], { type: 'string' });
});
