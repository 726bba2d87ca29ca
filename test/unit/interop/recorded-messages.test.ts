import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsIn, revisionIn } from '../../interop/recorded-messages.ts';

const call = JSON.stringify({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'read_feed', arguments: { limit: 5 }, _meta: { progressToken: 2 } },
});

const RECORDED = {
  HTTP: `POST /mcp HTTP/1.1\r\nContent-Length: 9\r\n\r\n${call}HTTP/1.1 200 OK\r\n\r\ndata: {"result":{}}\n\n`,
  stdio: `{"method":"initialize","params":{"protocolVersion":"2026-07-28"}}\n${call}\n{"result":{}}\n`,
};

for (const [transport, recorded] of Object.entries(RECORDED))
  test(`a call of a tool is found in recorded bytes of ${transport}`, () => {
    const params = { name: 'read_feed', arguments: { limit: 5 }, _meta: { progressToken: 2 } };
    assert.deepEqual(callsIn(recorded), [params]);
  });

test('the negotiated revision is the last that is named', () => {
  const answer = '{"result":{"protocolVersion":"2025-11-25"}}';
  assert.equal(revisionIn(`${RECORDED.stdio}${answer}`), '2025-11-25');
  assert.equal(revisionIn(RECORDED.HTTP), '-');
});
