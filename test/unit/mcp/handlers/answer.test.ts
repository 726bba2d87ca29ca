import assert from 'node:assert/strict';
import test from 'node:test';
import { CachedResult } from '#tool/cached-result.ts';
import type { Context } from '#tool/define-tool.ts';
import { createAnswer } from '#mcp/handlers/answer.ts';

test('the bytes of a kept result are made once in each generation, and keep their own memory only', async () => {
  const answer = createAnswer({ name: 'a test' }, () => undefined);
  for (const length of [1, 200, 20_000]) {
    const kept = new CachedResult({
      input: {},
      output: {},
      text: JSON.stringify({ message: 'x'.repeat(length) }),
    });
    const writeMembers = ({ text }: CachedResult): string => text.slice(1, -1);
    const bytesOf = async (id: number, perRequest: boolean): Promise<Buffer> => {
      const call = { id, method: 'tools/call', params: {}, perRequest };
      const { before } = await answer(() => ({ kept, writeMembers }), call, {} as Context);
      assert.ok(Buffer.isBuffer(before));
      return before;
    };
    const bytes = await bytesOf(1, false);
    assert.equal(bytes.buffer.byteLength, bytes.length);
    assert.equal(await bytesOf(2, false), bytes);
    assert.notEqual(await bytesOf(3, true), bytes);
  }
});
