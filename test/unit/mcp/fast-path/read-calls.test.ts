import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import test, { type TestContext } from 'node:test';
import { createMcpHandlers } from '#mcp/handlers/handlers.ts';
import { serveStdio } from '#mcp/transport/stdio.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { createStdioSdks } from '../../../../src/mcp-sdks.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { IDEA } from '../../../support/http/test-app.ts';
import { openTestWorkspace } from '../../../support/context.ts';

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const CALLS: [method: string, params: object][] = [
  ['tools/call', { name: 'read_feed', arguments: { limit: 2 } }],
  ['tools/call', { name: 'read_feed', arguments: { limit: 0 } }],
  ['tools/call', { name: 'read_thread', arguments: { postId: 'post_x' } }],
  ['tools/call', { name: 'nothing' }],
  ['tools/call', { name: 'get_started', arguments: { toString: { valueOf: 0 } } }],
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/read', { uri: `porchlight://posts/${IDEA}` }],
  ['resources/read', { uri: 'porchlight://posts/post_x' }],
  ['resources/read', { uri: `porchlight://posts/${'x'.repeat(200)}` }],
  ['resources/read', { uri: 'porchlight://nothing' }],
];

/** @returns a function that sends one request over stdio and reads the response line */
async function connect(t: TestContext, reads: 'by the cache' | 'by the SDK') {
  const { tools, workspace, store } = await openTestWorkspace({ folder: await temporaryFolder(t) });
  const results = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
  const sdks = createStdioSdks(createMcpHandlers({ tools, workspace, results, report: () => undefined }));
  const [input, output] = [new PassThrough(), new PassThrough()];
  const readCall = reads === 'by the cache' ? sdks.readCall : () => undefined;
  const { close } = serveStdio({ ...sdks, readCall }, () => undefined, input, output);
  const lines = createInterface({ input: output });
  t.after(async () => {
    input.end();
    await close();
    await store.close();
  });
  return async (message: object): Promise<string> => {
    const response = once(lines, 'line');
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const [line] = (await response) as [string];
    return line;
  };
}

const HELLO = {
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a test', version: '1' } },
};

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`a read of ${revision} over stdio has the same bytes from the result cache as from the SDK`, async (t) => {
    const [cache, sdk] = [await connect(t, 'by the cache'), await connect(t, 'by the SDK')];
    if (revision === '2025-11-25') assert.equal(await cache(HELLO), await sdk(HELLO));
    const _meta = revision === '2026-07-28' ? { _meta: ENVELOPE } : {};
    for (const [method, params] of CALLS) {
      for (const id of [1, 'a"\n', -5]) {
        const message = { id, method, params: { ...params, ..._meta } };
        const expected = await sdk(message);
        for (let n = 0; n < 2; n++) assert.equal(await cache(message), expected, method);
      }
    }
  });
}
