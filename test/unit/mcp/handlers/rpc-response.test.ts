import assert from 'node:assert/strict';
import test from 'node:test';
import { CachedResult } from '#tool/cached-result.ts';
import type { Context } from '#tool/define-tool.ts';
import { createResponder } from '#mcp/handlers/rpc-response.ts';
import { ProtocolError, RPC } from '#mcp/protocol/json-rpc.ts';

test('the bytes of a cached result are made once in each generation, and keep their own memory only', async () => {
  const answer = createResponder({ name: 'a test' }, () => undefined);
  for (const length of [1, 200, 20_000]) {
    const cached = new CachedResult({
      input: {},
      output: {},
      text: JSON.stringify({ message: 'x'.repeat(length) }),
    });
    const writeMembers = ({ text }: CachedResult): string => text.slice(1, -1);
    const bytesOf = async (id: number, isStateless: boolean): Promise<Buffer> => {
      const call = { id, method: 'tools/call', params: {}, isStateless };
      const { before } = await answer(() => ({ cached, writeMembers }), call, {} as Context);
      assert.ok(Buffer.isBuffer(before));
      return before;
    };
    const bytes = await bytesOf(1, false);
    assert.equal(bytes.buffer.byteLength, bytes.length);
    assert.equal(await bytesOf(2, false), bytes);
    assert.notEqual(await bytesOf(3, true), bytes);
  }
});

test('an error for a capability that the client did not declare has HTTP status 400, and others have 200', async () => {
  const answer = createResponder({ name: 'a test' }, () => undefined);
  const call = { id: 1, method: 'tools/call', params: {}, isStateless: true };
  const answerError = async (code: number) => {
    const run = (): never => {
      throw new ProtocolError(code, 'a text', { a: 1 });
    };
    const { before, after, status = 200 } = await answer(run, call, {} as Context);
    return { status, body: JSON.parse(`${before.toString()}${after}`) as object };
  };
  const body = (code: number) => ({
    jsonrpc: '2.0',
    id: 1,
    error: { code, message: 'a text', data: { a: 1 } },
  });
  assert.deepEqual(await answerError(RPC.missingCapability), { status: 400, body: body(-32021) });
  assert.deepEqual(await answerError(RPC.resourceNotFound), { status: 200, body: body(-32602) });
});

test('a result with a type of its own keeps it in 2026-07-28, and every other is complete', async () => {
  const answer = createResponder({ name: 'a test' }, () => undefined);
  const resultOf = async (result: Record<string, unknown>) => {
    const call = { id: 1, method: 'tools/call', params: {}, isStateless: true };
    const { before, after } = await answer(() => result, call, {} as Context);
    return (JSON.parse(`${before.toString()}${after}`) as { result: object }).result;
  };
  const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'a test' } };
  assert.deepEqual(await resultOf({ a: 1 }), { a: 1, resultType: 'complete', _meta });
  const asked = { resultType: 'input_required', inputRequests: {} };
  assert.deepEqual(await resultOf(asked), { ...asked, _meta });
});
