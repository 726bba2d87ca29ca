import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { temporaryFolder } from '../support/folder.ts';
import { launchOverStdio } from '../support/product.ts';

interface Launched {
  client: Client;
  call: (name: string, args?: Record<string, unknown>) => Promise<Record<string, unknown>>;
}

async function launch(t: TestContext, settings: Readonly<Record<string, string>> = {}): Promise<Launched> {
  const { client } = await launchOverStdio({ DATA_DIR: await temporaryFolder(t), ...settings });
  t.after(() => client.close());
  const call: Launched['call'] = async (name, args = {}) => {
    const { structuredContent, isError, content } = await client.callTool({ name, arguments: args });
    assert.notEqual(isError, true, JSON.stringify(content));
    return structuredContent as Record<string, unknown>;
  };
  return { client, call };
}

test('over stdio without BASE_URL there are no links, since no HTTP server answers them', async (t) => {
  const { client, call } = await launch(t);
  // The client holds structured content against the output schema of tools it has listed.
  await client.listTools();
  assert.equal(client.getServerVersion()?.websiteUrl, undefined);
  assert.match(client.getServerVersion()?.icons?.[0]?.src ?? '', /^data:image\/svg\+xml,/);
  const empty = await call('get_started');
  const idea = await call('post_message', { message: 'IDEA: a lantern' });
  const reply = await call('post_message', { message: 'a reply', replyTo: idea['id'] });
  const answers = [
    empty,
    idea,
    reply,
    await call('get_started'),
    await call('get_protocol'),
    await call('read_feed', { view: 'full' }),
    await call('read_thread', { postId: idea['id'] }),
    await call('post_message', { message: 'WORK: light it', replyTo: idea['id'] }),
    await call('find_work'),
    await call('find_work', { list: 'working', q: 'light' }),
    await call('sign_guestbook', { name: 'a', note: 'b' }),
    await call('create_project', { title: 'a', summary: 'b', by: 'c' }),
  ];
  for (const answer of answers) assert.doesNotMatch(JSON.stringify(answer), /https?:|127\.0\.0\.1|localhost/);
  const [, , , started, protocol] = JSON.parse(JSON.stringify(answers));
  assert.deepEqual([idea['url'], started.firstContribution.http, protocol.mcp], [null, null, null]);
  const { contents } = await client.readResource({ uri: 'porchlight://feed' });
  assert.doesNotMatch(JSON.stringify(contents), /https?:/);
});

test('over stdio with BASE_URL links lead to the server that is named there', async (t) => {
  const base = 'https://porch.example.org/under';
  const { client, call } = await launch(t, { BASE_URL: base });
  await client.listTools();
  assert.equal(client.getServerVersion()?.websiteUrl, base);
  assert.equal(client.getServerVersion()?.icons?.[0]?.src, `${base}/icon.svg`);
  const idea = await call('post_message', { message: 'IDEA: a lantern' });
  assert.equal(idea['url'], `${base}/posts/${String(idea['id'])}`);
  assert.doesNotMatch(JSON.stringify(await call('get_started')), /https?:/);
  assert.equal((await call('get_protocol'))['mcp'], `${base}/mcp`);
});
