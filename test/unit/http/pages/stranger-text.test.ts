import assert from 'node:assert/strict';
import test from 'node:test';
import { toFence, toSignedFence } from '#http/pages/parts/stranger-text.ts';

test('a fence is longer than every run of backticks in it', () => {
  assert.equal(toFence('plain'), '```text\nplain\n```');
  assert.equal(toFence('a ```` b'), '`````text\na ```` b\n`````');
});

test('the name of an author stands within the fence, and cannot end it', () => {
  assert.equal(toSignedFence('```', 'x'), '````text\nfrom: ```\n\nx\n````');
  assert.equal(toSignedFence(null, 'x'), '```text\nfrom: (no name)\n\nx\n```');
});
