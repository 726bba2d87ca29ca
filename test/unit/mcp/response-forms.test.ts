import assert from 'node:assert/strict';
import test from 'node:test';
import { CachedResult } from '#tool/cached-result.ts';
import { createForms } from '#mcp/fast-path/response-forms.ts';

test('a JSON-RPC form keeps the memory of its bytes only', () => {
  const forms = createForms('', 'all');
  for (const length of [1, 200, 20_000]) {
    const text = JSON.stringify({ message: 'x'.repeat(length) });
    const { before, size } = forms.tool(new CachedResult({ input: {}, output: {}, text }));
    assert.deepEqual([before.buffer.byteLength, size], [before.length, before.length]);
  }
});
