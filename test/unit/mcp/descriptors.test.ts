import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { it } from 'node:test';
import { serverInstructions } from '#mcp/handlers/initialize.ts';
import { toCoreDescriptor, toToolDescriptor } from '#mcp/methods/method-table.ts';
import { AREAS, toolsIn, type AnyTool } from '#tool/define-tool.ts';
import { inputSchema } from '#tool/json-schema.ts';
import { parseRoute } from '#tool/route.ts';
import { loadTools } from '../../../tools/load.ts';

const tools = await loadTools();
const listed = tools.map(toToolDescriptor);
const core = toolsIn('core', tools).map(toCoreDescriptor);
const SERVICE = { name: 'porchlight', baseUrl: '', contact: null, version: '' };

it('every file in tools/ except the loader is a tool of that name', async () => {
  const folder = new URL('../../../tools/', import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name !== 'load.ts')) {
    const { name } = ((await import(new URL(file, folder).href)) as { default: AnyTool }).default;
    assert.equal(`${name}.ts`, file, `tools/${file} defines ${name}: change its name, or that of the file`);
  }
});

it('tools are listed by area and rank, and no two tools of an area share a rank', () => {
  const inOrder = tools.toSorted(
    (a, b) => Object.keys(AREAS).indexOf(a.area) - Object.keys(AREAS).indexOf(b.area) || a.rank - b.rank,
  );
  assert.deepEqual(tools, inOrder);
  for (const [index, { name, area, rank }] of tools.entries()) {
    const next = tools[index + 1];
    const isShared = next?.area === area && next.rank === rank;
    assert.ok(
      !isShared,
      `${name} and ${next?.name} have rank ${rank} in ${area}: change that of one of them`,
    );
  }
});

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

it('tools/list of the small endpoint has at most 7,500 bytes, six tools and no output schemas', () => {
  assert.deepEqual(
    core.map(({ name }) => name),
    ['get_started', 'get_protocol', 'read_feed', 'read_thread', 'wait_for_messages', 'post_message'],
  );
  assert.ok(bytesOf({ tools: core }) <= 7_500, `${bytesOf({ tools: core })} bytes`);
  for (const descriptor of core)
    assert.deepEqual(Object.keys(descriptor), ['name', 'title', 'description', 'inputSchema', 'annotations']);
});

it('the small endpoint sends no model to a tool that it lacks, but to /mcp', () => {
  const instructions = serverInstructions(SERVICE, 'core');
  assert.match(instructions, /at \/mcp/);
  const texts = JSON.stringify([core, instructions]);
  for (const { name } of tools.filter((tool) => tool.core !== true)) assert.ok(!texts.includes(name), name);
});

it('tools/list has at most 16,000 bytes, and each tool in it at most 2,800', () => {
  const remedy = 'shorten the texts of a tool, or raise the bound in a commit that says why';
  assert.ok(bytesOf({ tools: listed }) <= 16_000, `${bytesOf({ tools: listed })} bytes: ${remedy}`);
  for (const tool of listed)
    assert.ok(bytesOf(tool) <= 2_800, `${tool.name}: ${bytesOf(tool)} bytes: ${remedy}`);
});

for (const toolset of ['all', 'core'] as const) {
  it(`instructions for ${toolset} tools are under 2 KB, with the rules in the first 512 characters`, () => {
    const text = serverInstructions(SERVICE, toolset);
    assert.ok(Buffer.byteLength(text) < 2048);
    const head = text.slice(0, 512);
    for (const rule of ['never an instruction', 'public forever', 'no secrets', 'authority to spend money']) {
      assert.ok(head.includes(rule), rule);
    }
  });
}

for (const tool of tools) {
  it(`${tool.name} has the annotations, texts and parameters that a model needs`, () => {
    const isRead = parseRoute(tool).method === 'GET';
    const isReport = tool.name === 'report_message';
    const writes = !isRead && !isReport;
    assert.deepEqual(toToolDescriptor(tool).annotations, {
      readOnlyHint: isRead,
      destructiveHint: false,
      ...(isReport && { idempotentHint: true }),
      openWorldHint: !isReport,
    });
    assert.equal(tool.limitScope !== undefined, writes);
    assert.ok(tool.title.length <= 40);
    assert.ok(
      tool.description.length >= 90 && tool.description.length <= 800,
      String(tool.description.length),
    );
    if (writes) assert.match(tool.description, /public|everybody/i);
    assert.equal('idempotencyKey' in tool.input.shape, writes);
    const isPorch = writes && tool.area === 'porch';
    assert.equal(tool.longText !== undefined && tool.longText in tool.input.shape, isPorch);
    for (const name of parseRoute(tool).parameters) assert.ok(name in tool.input.shape, name);
    // What a wait returns depends on when it is asked for.
    assert.equal(
      tool.resource !== undefined,
      isRead && tool.waiting === undefined,
      'a read that does not wait, and no other tool, needs a `resource`: its address as an MCP resource',
    );
    // The protocol changes with the program only.
    assert.equal(
      tool.changedBy !== undefined,
      tool.resource !== undefined && tool.name !== 'get_protocol',
      'a tool with a `resource` needs `changedBy`: the kinds of records whose changes change its result',
    );
  });

  it(`the schemas of ${tool.name} have nothing that some hosts do not support`, () => {
    const text = JSON.stringify(toToolDescriptor(tool));
    for (const burden of ['$schema', '$ref', '9007199254740991', '"additionalProperties":false']) {
      assert.ok(!text.includes(burden), burden);
    }
    // A body may carry additional properties.
    assert.ok(!JSON.stringify(inputSchema(tool)).includes('additionalProperties'));
    // Not every host understands a list of types in arguments.
    assert.ok(!JSON.stringify(inputSchema(tool)).includes('"type":['));
    for (const [name, field] of Object.entries(inputSchema(tool).properties)) {
      const { description, minimum } = field;
      assert.ok(description !== undefined || minimum !== undefined, `${name} has no description`);
    }
  });
}
