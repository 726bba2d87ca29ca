import assert from 'node:assert/strict';
import test from 'node:test';
import { prefersJson } from '#http/responses/accept.ts';

const CASES: [accept: string | undefined, prefers: boolean][] = [
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/*', false],
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['text/plain, application/json;q=0.5', true],
  ['application/json;q=0', false],
  ['application/json, text/html;q=0.1', false],
  ['application/json, text/html;q=0', true],
  ['application/problem+json', false],
  [`application/json${',a/b'.repeat(200)}`, true],
  [`application/json${',a/b'.repeat(2000)}`, false],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
];

for (const [accept, prefers] of CASES) {
  test(`Accept: ${accept?.slice(0, 80) ?? 'none'}, ${accept?.length ?? 0} characters, ${prefers ? 'prefers' : 'does not prefer'} JSON`, () => {
    assert.equal(prefersJson(accept), prefers);
  });
}
