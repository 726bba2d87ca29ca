import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { temporaryFolder } from '../support/folder.ts';
import { postJson } from '../support/http/post-json.ts';
import { launchOverStdio, startProduct } from '../support/product.ts';

interface PostResponse {
  id: string;
  duplicate: boolean;
}

const KEY = 'one-key-for-all-of-them';
const INPUT = { message: 'IDEA: said once' };

async function overRest(url: string): Promise<PostResponse & { status: number }> {
  const response = await postJson(`${url}/api/feed`, INPUT, { 'Idempotency-Key': KEY });
  return { status: response.status, ...((await response.json()) as PostResponse) };
}

async function overMcp(client: Client): Promise<PostResponse & { status: number }> {
  const { structuredContent, isError } = await client.callTool({
    name: 'post_message',
    arguments: { ...INPUT, idempotencyKey: KEY },
  });
  return { status: isError === true ? 500 : 201, ...(structuredContent as PostResponse) };
}

async function messages(url: string): Promise<number> {
  const { totals } = (await (await fetch(`${url}/api/feed`)).json()) as { totals: { messages: number } };
  return totals.messages;
}

it('one key from 50 parallel requests over REST, MCP and two processes gives one record and 50 equal answers', async (test) => {
  const settings = { DATA_DIR: await temporaryFolder(test) };
  const [one, other] = await Promise.all([startProduct(settings), startProduct(settings)]);
  const { client: agent } = await launchOverStdio(settings);
  const visitor = new Client({ name: 'a test', version: '1.0.0' });
  await visitor.connect(new StreamableHTTPClientTransport(new URL(`${one.url}/mcp`)));
  const surfaces = [
    () => overRest(one.url),
    () => overRest(other.url),
    () => overMcp(visitor),
    () => overMcp(agent),
  ];
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => surfaces[n % surfaces.length]!()));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
  assert.equal(answers.filter(({ duplicate }) => !duplicate).length, 1);
  assert.equal(await messages(one.url), 1);
  await visitor.close();
  await agent.close();
  await Promise.all([one.end('SIGTERM'), other.end('SIGTERM')]);
});

it('a server that is killed between the record and its answer answers the retry with that record', async (test) => {
  const settings = { DATA_DIR: await temporaryFolder(test) };
  for (let round = 0; round < 3; round++) {
    const victim = await startProduct(settings);
    const tries = Array.from({ length: 8 }, () => overRest(victim.url).catch(() => undefined));
    await Promise.race([
      ...tries,
      new Promise((resolve) => {
        setTimeout(resolve, round * 3);
      }),
    ]);
    await victim.end('SIGKILL');
    const answered = (await Promise.all(tries)).filter((answer) => answer !== undefined);
    const next = await startProduct(settings);
    const retried = await overRest(next.url);
    assert.equal(retried.status, 201);
    for (const { id } of answered) assert.equal(id, retried.id);
    assert.equal(await messages(next.url), 1);
    await next.end('SIGTERM');
  }
});
