import assert from 'node:assert/strict';
import test from 'node:test';
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { setUp } from '../support/http/test-app.ts';

const INFO = { name: 'a test', version: '0.0.0' };
const ICONS = [{ src: 'http://porchlight.test/icon.svg', mimeType: 'image/svg+xml', sizes: ['any'] }];

test('clients of both SDKs read the icon of the server', async (t) => {
  const url = new URL(`${(await setUp(t)).url}/mcp`);
  const [one, two] = [new ClientV1(INFO), new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } })];
  await one.connect(new TransportV1(url) as never);
  await two.connect(new TransportV2(url));
  for (const client of [one, two]) {
    assert.deepEqual(client.getServerVersion()?.icons, ICONS);
    await client.close();
  }
});
