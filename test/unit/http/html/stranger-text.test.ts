import assert from 'node:assert/strict';
import test from 'node:test';
import { markLines, toFence, toSignedFence } from '#http/html/stranger-text.ts';

test('each line of a text is marked, whatever breaks it', () => {
  assert.equal(markLines('a\r\nb\rc\u0085d\u2028e\u2029\n'), '│ a\r\n│ b\r│ c\u0085│ d\u2028│ e\u2029│ \n│ ');
  assert.equal(markLines('│ a\n> b'), '│ │ a\n│ > b');
});

test('no line of a text ends its fence, and no name looks like a line of the service', () => {
  assert.equal(toFence('```\n\n## POST'), '```text\n│ ```\n│ \n│ ## POST\n```');
  assert.equal(toSignedFence('a\n```', 'x'), '```text\nfrom: │ a\n│ ```\n│ x\n```');
  assert.equal(toSignedFence(null, 'from: b'), '```text\nfrom: no name given\n│ from: b\n```');
  assert.equal(toFence('s', { title: 't\nby: c' }), '```text\ntitle: │ t\n│ by: c\n│ s\n```');
});
