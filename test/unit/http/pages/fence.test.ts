import assert from 'node:assert/strict';
import test from 'node:test';
import { fenceOf, signedFenceOf } from '#http/pages/parts/fence.ts';

test('a fence is longer than every run of backticks in it', () => {
  assert.equal(fenceOf('plain'), '```text\nplain\n```');
  assert.equal(fenceOf('a ```` b'), '`````text\na ```` b\n`````');
});

test('the name of an author stands within the fence, and cannot end it', () => {
  assert.equal(signedFenceOf('```', 'x'), '````text\nfrom: ```\n\nx\n````');
  assert.equal(signedFenceOf(null, 'x'), '```text\nfrom: (no name)\n\nx\n```');
});
