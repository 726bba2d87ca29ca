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

test('a client of SDK v1 reads the icon of the server', async (t) => {
  const { url } = await setUp(t);
  const client = new ClientV1(INFO);
  await client.connect(new TransportV1(new URL(`${url}/mcp`)));
  assert.deepEqual(client.getServerVersion()?.icons, ICONS);
  await client.close();
});

test('a client of SDK v2 reads the icon of the server', async (t) => {
  const { url } = await setUp(t);
  const client = new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new TransportV2(new URL(`${url}/mcp`)));
  assert.deepEqual(client.getServerVersion()?.icons, ICONS);
  await client.close();
});
