import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, it } from 'node:test';
import { serverInstructions } from '#mcp/handlers/initialize.ts';
import { toCoreDescriptor, toToolDescriptor } from '#mcp/methods/method-table.ts';
import { toolsIn } from '#tool/define-tool.ts';
import { PREFIX_CONVENTIONS } from '#workspace/protocol/protocol-content.ts';
import { PROMPTS, getPrompt } from '#mcp/methods/prompts.ts';
import { callTool } from '#tool/call-tool.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { loadTools } from '../../tools/load.ts';
import { temporaryFolder } from '../support/folder.ts';
import { assertGolden, assertGoldenJson } from '../support/golden.ts';
import { setUp } from '../support/http/test-app.ts';
import { openTestWorkspace } from '../support/context.ts';

const tools = await loadTools();

for (const { name } of tools) {
  it(`${name} is told to a model, and answers, as it did before`, async (test) => {
    const {
      workspace,
      store,
      tools: loaded,
    } = await openTestWorkspace({ folder: await temporaryFolder(test) });
    const tool = loaded.find((one) => one.name === name)!;
    const answer = await callTool(tool, tool.example, { workspace, caller: { clientKey: LOOPBACK_CLIENT } });
    const { area, rank, http, location, resource, changedBy } = tool;
    assertGoldenJson(`${name}.json`, {
      served: { area, rank, http, location, resource, changedBy },
      listed: toToolDescriptor(tool),
      example: { arguments: tool.example, answer },
    });
    await store.close();
  });
}

it('the tools of the small endpoint are told to a model as they were before', () => {
  assertGoldenJson('core-tools.json', toolsIn('core', tools).map(toCoreDescriptor));
});

const DOCUMENTS = {
  'openapi.json': '/openapi.json',
  'discovery.json': '/.well-known/porchlight.json',
  'server-card.json': '/mcp/server-card',
  'ai-catalog.json': '/.well-known/ai-catalog.json',
  'llms.txt': '/llms.txt',
  'feed.xml': '/feed.xml',
  'feed.atom': '/feed.atom',
  'feed.json': '/feed.json',
  'sitemap.xml': '/sitemap.xml',
  'api-catalog.json': '/.well-known/api-catalog',
  'home.html': '/',
  'post.html': '/posts/post_019c9a31-6400-7000-8000-000000000009',
};

/** Changes with every rule of the style sheet. */
const STYLE_HASH = /\/style-[0-9a-f]{12}\.css/;

const { request } = await setUp({ after });

for (const [file, path] of Object.entries(DOCUMENTS)) {
  it(`${path} reads as it did before`, async () => {
    const text = (await request(`GET ${path}`)).text.replace(STYLE_HASH, '/style-HASH.css');
    if (file.endsWith('.json')) assertGoldenJson(file, JSON.parse(text));
    else assertGolden(file, text);
  });
}

it('the instructions and the prompts read as they did before', async (test) => {
  const { workspace, store } = await openTestWorkspace({ folder: await temporaryFolder(test) });
  const service = { name: 'porchlight', baseUrl: 'http://porchlight.test', contact: null, version: '0.0.0' };
  const context = { workspace, caller: { clientKey: 'local' } };
  const prompts = await Promise.all(
    PROMPTS.map(async (prompt) => ({ ...prompt, ...(await getPrompt(prompt.name, {}, context)) })),
  );
  await store.close();
  assert.equal(prompts.length, PREFIX_CONVENTIONS.length);
  assertGolden('instructions.txt', `${serverInstructions(service, 'all')}\n`);
  assertGolden('core-instructions.txt', `${serverInstructions(service, 'core')}\n`);
  assertGoldenJson('prompts.json', prompts);
});

it('every golden file belongs to something that is still there', () => {
  const known = [
    ...tools.map(({ name }) => `${name}.json`),
    ...Object.keys(DOCUMENTS),
    'core-instructions.txt',
    'core-tools.json',
    'instructions.txt',
    'prompts.json',
  ];
  assert.deepEqual(readdirSync(new URL('../golden', import.meta.url)).sort(), known.sort());
});
