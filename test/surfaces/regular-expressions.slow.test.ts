import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { Linter } from 'eslint';
// @ts-expect-error the configuration has no types
import { LINEAR_TIME } from '../../eslint.config.js';

interface Expression {
  readonly source: string;
  readonly flags: string;
  readonly place: string;
}

const linter = new Linter();

/** @returns what the rules for literal expressions say of one */
function faultsOf({ source, flags }: Expression): string[] {
  const code = `/${source}/${flags}.exec(globalThis.text);`;
  return linter.verify(code, LINEAR_TIME as Linter.Config).map(({ message }) => message);
}

test('the rules find what takes quadratic time', () => {
  for (const [source, isFault] of [
    ['^\\s*(?:none|null)?\\s*$', true],
    ['\\s+$', true],
    ['(?<=[a-z]\\p{M}+)plk', true],
    ['a(?=[^b]*c)', true],
    ['(?<!\\s)\\s+$', false],
    ['(?<=[a-z]\\p{M}{0,30})plk', false],
  ] as const)
    assert.equal(faultsOf({ source, flags: 'u', place: '' }).length > 0, isFault, source);
});

test('no expression that is composed of parts takes quadratic time', () => {
  const program = join(import.meta.dirname, '..', 'support', 'child-expressions.ts');
  const output = execFileSync(process.execPath, ['--import', import.meta.resolve('tsx'), program], {
    encoding: 'utf8',
  });
  const expressions = JSON.parse(output) as Expression[];
  assert.ok(expressions.length > 100);
  const once = new Map(expressions.map((one) => [`${one.source} ${one.flags}`, one]));
  const faults = [...once.values()].flatMap((one) =>
    faultsOf(one).map((message) => `${one.place}: /${one.source}/${one.flags}: ${message}`),
  );
  assert.deepEqual(faults, []);
});
