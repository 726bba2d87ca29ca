import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { loadTools } from '../../tools/load.ts';
import { temporaryFolder } from '../support/folder.ts';

const ROOT = join(import.meta.dirname, '../..');

/** @returns the lines that each diff of a section of CONTRIBUTING adds, by file */
function additionsOf(section: string): Map<string, string> {
  const document = readFileSync(join(ROOT, 'docs/CONTRIBUTING.md'), 'utf8');
  const [, rest = ''] = document.split(`\n## ${section}\n`);
  const [body = ''] = rest.split('\n## ');
  const diffs = body.matchAll(/^ {3}```diff\n {3}--- .*\n {3}\+\+\+ b\/(.*)\n([\s\S]*?)^ {3}```$/gm);
  return new Map(
    Array.from(diffs, ([, file = '', lines = '']) => [file, lines.replaceAll(/^ {3}\+/gm, '')] as const),
  );
}

const TOOL = 'tools/count_messages.ts';

/** Makes a copy of the source, and does in it what the section says. */
function followExample(folder: string): void {
  for (const name of ['bin', 'src', 'tools', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, lines] of additionsOf('Add a tool'))
    appendFileSync(join(folder, file), file === TOOL ? lines : `\n${lines}`);
}

test('the rank of the tool that CONTRIBUTING adds is taken by no tool of its area', async () => {
  const tool = additionsOf('Add a tool').get(TOOL) ?? '';
  const [, area] = /^ {2}area: '(\w+)',$/m.exec(tool) ?? [];
  const [, rank] = /^ {2}rank: (\d+),$/m.exec(tool) ?? [];
  const inArea = (await loadTools()).filter((one) => one.area === area);
  assert.ok(inArea.length > 0);
  assert.ok(!inArea.some((one) => one.rank === Number(rank)));
});

test('CONTRIBUTING adds a tool by three files', () => {
  assert.equal(additionsOf('Add a tool').size, 3);
});

test('the tool that CONTRIBUTING adds compiles, and counts messages', async (t) => {
  const folder = await temporaryFolder(t);
  followExample(folder);
  const project = { extends: './tsconfig.json', include: ['src', 'tools'] };
  writeFileSync(join(folder, 'tsconfig.example.json'), JSON.stringify(project));
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  execFileSync(compiler, ['--project', 'tsconfig.example.json'], { cwd: folder });
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(folder, 'bin/porchlight.js'), 'stdio'],
      env: { DATA_DIR: join(folder, 'store') },
    }),
  );
  t.after(() => client.close());
  await client.callTool({ name: 'post_message', arguments: { message: 'IDEA: count messages' } });
  const { structuredContent } = await client.callTool({ name: 'count_messages', arguments: {} });
  assert.deepEqual(structuredContent, { messages: 1, threads: 1 });
});
