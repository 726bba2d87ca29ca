import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { createMcpHandlers } from '#mcp/handlers/handlers.ts';
import { serveStdio } from '#mcp/transport/stdio.ts';
import { createStdioSdks } from '#server/mcp-sdks.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { openTestWorkspace } from '../../../support/context.ts';
import { temporaryFolder } from '../../../support/folder.ts';

test('a server that ends waits for no subscription', async (t) => {
  const { tools, workspace, store } = await openTestWorkspace({ folder: await temporaryFolder(t) });
  t.after(() => store.close());
  // The time for open requests never passes.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const results = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
  const handlers = createMcpHandlers({ tools, workspace, results, report: () => undefined });
  const [input, output] = [new PassThrough(), new PassThrough().setEncoding('utf8')];
  let sent = '';
  output.on('data', (text: string) => {
    sent += text;
  });
  const { close } = serveStdio(handlers, createStdioSdks(handlers), () => undefined, input, output);
  const params = {
    notifications: { resourceSubscriptions: ['porchlight://feed'] },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const listen = { jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen', params };
  input.write(`${JSON.stringify(listen)}\n`);
  while (!sent.includes('notifications/subscriptions/acknowledged')) await once(output, 'data');
  await close();
  while (!sent.includes('"id":"listen","result":')) await once(output, 'data');
});
