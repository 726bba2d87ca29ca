import assert from 'node:assert/strict';
import test from 'node:test';
import { createMcpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { createMcpEndpoint, createStreamLimit } from '#mcp/transport/http.ts';
import { createHttpSdks } from '#server/mcp-sdks.ts';
import { WaitLimit } from '#workspace/waiting/waiters.ts';
import { setUp } from '../../../support/http/test-app.ts';

test('a request whose SDK fails to load gets an error with its id, and a later one is answered', async (t) => {
  const causes: unknown[] = [];
  const missing = new Error('the file is gone');
  let attempts = 0;
  const app = await setUp(
    t,
    {},
    {
      createMcp: (options) => {
        const handlers = createMcpHandlers({ ...options, report: ({ cause }) => causes.push(cause) });
        const acquireStream = createStreamLimit(new WaitLimit(0), 1);
        const load = createHttpSdks(handlers, { acquireStream, report: () => undefined });
        return createMcpEndpoint(handlers, async () => {
          attempts += 1;
          if (attempts === 1) throw missing;
          return load();
        });
      },
    },
  );
  const detail = 'The service failed, not your call; the failure has been logged.';
  const { status, json } = await app.rpc('ping');
  assert.equal(status, 200);
  const error = { code: -32603, message: detail, data: { code: 'internal', detail } };
  assert.deepEqual(json, { jsonrpc: '2.0', id: 1, error });
  assert.deepEqual(causes, [missing]);
  assert.deepEqual((await app.rpc('ping')).json, { jsonrpc: '2.0', id: 1, result: {} });
});
