import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { createLogger } from '#server/logger.ts';
import { firstOf } from '../../support/thorough.ts';

interface Line {
  err?: { stack: string };
  [fact: string]: unknown;
}

function setUp() {
  const lines: Line[] = [];
  let ms = 0;
  const destination = { write: (line: string) => lines.push(JSON.parse(line) as Line) };
  const logger = createLogger('info', { destination, now: () => ms });
  return {
    lines,
    pass: (milliseconds: number) => {
      ms += milliseconds;
    },
    warn: (...args: [string] | [object, string]) => {
      logger.warn(...(args as [string]));
    },
    fail: (code: string, facts: object = {}) => {
      logger.error({ ...facts, err: Object.assign(new Error(`at ${ms}`), { code }) }, 'a request failed');
    },
  };
}

test('a thousand failures of one kind in a minute are one line, and the next line has their number', () => {
  const { lines, pass, fail } = setUp();
  for (let n = 0; n < 1000; n++) {
    fail('57014');
    pass(59);
  }
  assert.equal(lines.length, 1);
  assert.match(lines[0]!.err!.stack, /\n {4}at /);
  pass(1000);
  fail('57014');
  assert.equal(lines.length, 2);
  assert.equal(lines[1]!['repeated'], 999);
});

test('failures of different codes have a line each, and other lines are not counted', () => {
  const { lines, fail } = setUp();
  fail('57014');
  fail('53300');
  const found = lines.map(({ err }) => (err as { code?: string }).code);
  assert.deepEqual(found, ['57014', '53300']);
});

test('a repeated failure whose reference a caller has is a line without a stack', () => {
  const { lines, fail } = setUp();
  fail('X', { reference: 'one' });
  fail('X', { reference: 'two' });
  const { level, time, msg, ...rest } = lines[1]!;
  assert.deepEqual(rest, { reference: 'two', type: 'Error', code: 'X' });
  assert.deepEqual([level, typeof time, msg], [50, 'string', 'a request failed']);
});

test('equal warnings in a minute are one line, and the next one has their number', () => {
  const { lines, pass, warn } = setUp();
  for (let n = 0; n < 800; n++) {
    warn({ event: 'refused a line' }, 'a message could not be read');
    warn('the disk is slow');
  }
  warn({ event: 'ignored a line' }, 'a message could not be read');
  const logged = lines.map(({ event, msg }) => event ?? msg);
  assert.deepEqual(logged, ['refused a line', 'the disk is slow', 'ignored a line']);
  pass(60_000);
  warn({ event: 'refused a line' }, 'a message could not be read');
  warn('the disk is slow');
  assert.deepEqual(
    lines.slice(3).map(({ event, msg, repeated }) => [event ?? msg, repeated]),
    [
      ['refused a line', 799],
      ['the disk is slow', 799],
    ],
  );
});

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
