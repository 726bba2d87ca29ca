import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { loadTools } from '../../tools/load.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runSuccessfully } from '../support/product.ts';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> };

/** Arguments by which this file runs a script for a short time. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  start: ['--help'],
  demo: ['--help'],
  format: [],
  gen: ['--test-name-pattern=no test has this name'],
  fuzz: ['--requests', '20'],
  torture: ['--help'],
  bench: ['--help'],
  interop: ['--help'],
  pages: ['--help'],
};

/** The scripts that a text runs, and those that these run. */
function scriptsIn(text: string): string[] {
  const named = [...text.matchAll(/\bnpm (?:run )?([\w:]+)/g)].map(([, name = '']) => name);
  return named.flatMap((name) => (name in scripts ? [name, ...scriptsIn(scripts[name]!)] : []));
}

const DOCUMENTS = [
  'README.md',
  'AGENTS.md',
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
];

test('each script that a document names is one of package.json', () => {
  for (const path of DOCUMENTS.filter((name) => name.endsWith('.md')))
    for (const [, name = ''] of textOf(path).matchAll(/\bnpm run ([\w:]+)/g))
      assert.ok(name in scripts, `${path}: npm run ${name}`);
});

test('each script of package.json runs in CI', () => {
  const run = [...scriptsIn(textOf('.ci/run')), ...Object.keys(SHORT), ...scriptsIn('npm run mcpb')];
  // npm runs `prepack` and `postpack` when it packs, as another test does.
  const others = Object.keys(scripts).filter((name) => !run.includes(name) && !/^(pre|post)pack$/.test(name));
  assert.deepEqual(others, []);
});

for (const [name, args] of Object.entries(SHORT))
  test(`npm run ${name} ${args.join(' ')} succeeds`, () => {
    // As from a shell: not as a part of this run of the tests.
    const { NODE_TEST_CONTEXT: _, TEST_LAUNCHER: __, ...env } = process.env;
    execFileSync('npm', ['run', name, '--', ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    });
  });

test('npm run mcpb packs a bundle whose manifest starts the program, with the tools that it names', async (t) => {
  const folder = await temporaryFolder(t);
  const [bundle, unpacked] = [join(folder, 'porchlight.mcpb'), join(folder, 'unpacked')];
  execFileSync('npm', ['run', 'mcpb', '--', bundle], { cwd: ROOT, stdio: 'ignore' });
  execFileSync('npx', ['--yes', '@anthropic-ai/mcpb@2', 'unpack', bundle, unpacked], { stdio: 'ignore' });
  const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')) as {
    tools: { name: string }[];
    server: { mcp_config: { command: string; args: string[]; env: Record<string, string> } };
  };
  const { command, args, env } = manifest.server.mcp_config;
  const fill = (text: string): string =>
    text.replace('${__dirname}', unpacked).replace('${user_config.data_dir}', join(folder, 'data'));
  const client = new Client({ name: 'a test', version: '1.0.0' });
  t.after(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command,
      args: args.map(fill),
      cwd: folder,
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
    }),
  );
  const names = (await client.listTools()).tools.map(({ name }) => name);
  const toolNames = (await loadTools()).map(({ name }) => name);
  assert.deepEqual(names, toolNames);
  const expected = manifest.tools.map(({ name }) => name);
  assert.deepEqual(names, expected);
  const { structuredContent } = await client.callTool({ name: 'post_message', arguments: { message: 'x' } });
  assert.match((structuredContent as { id: string }).id, /^post_/);
});

test('each command of the program that a document names begins', async () => {
  const text = DOCUMENTS.filter((name) => name.endsWith('.md'))
    .map(textOf)
    .join('\n');
  const lines = [...text.matchAll(/```sh[\s\S]*?```|`[^`\n]+`/g)].map(([found]) => found).join('\n');
  const named = [...lines.matchAll(/(?:^|[`|] ?|\.js )porchlight (?!porchlight)([a-z]+)/gm)].map(
    ([, one]) => one!,
  );
  const commands = new Set(named);
  assert.ok(commands.size > 10, [...commands].join(' '));
  for (const command of commands) await runSuccessfully([command, '--help'], {});
});
