import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { applyDiffs } from '../support/contributing.ts';
import { temporaryFolder } from '../support/folder.ts';
import { launchOverStdio } from '../support/product.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Makes a copy of the source, does in it what the section says, and compiles it. */
async function followExample(
  t: TestContext,
  section: string,
  compiled = ['src', 'tools', 'test/contract'],
): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const name of ['bin', 'src', 'test', 'tools', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  applyDiffs(section, folder);
  const project = { extends: './tsconfig.json', include: compiled };
  writeFileSync(join(folder, 'tsconfig.example.json'), JSON.stringify(project));
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  execFileSync(compiler, ['--project', 'tsconfig.example.json'], { cwd: folder });
  return folder;
}

async function connect(t: TestContext, folder: string, settings: Record<string, string> = {}) {
  const launcher = join(folder, 'bin/porchlight.js');
  const { client } = await launchOverStdio({ DATA_DIR: join(folder, 'store'), ...settings }, [], launcher);
  t.after(() => client.close());
  return client;
}

test('the tool that CONTRIBUTING adds compiles, and counts messages', async (t) => {
  const client = await connect(t, await followExample(t, 'Add a tool'));
  await client.callTool({ name: 'post_message', arguments: { message: 'IDEA: count messages' } });
  const { structuredContent } = await client.callTool({ name: 'count_messages', arguments: {} });
  assert.deepEqual(structuredContent, { messages: 1, threads: 1 });
});

test('the limit that CONTRIBUTING adds compiles, and refuses the second post of a day', async (t) => {
  const folder = await followExample(t, 'Add a limit on writes', ['src', 'tools']);
  const client = await connect(t, folder, { FEED_POSTS_PER_DAY: '1' });
  const post = async (message: string): Promise<unknown> =>
    (await client.callTool({ name: 'post_message', arguments: { message } })).content;
  await post('IDEA: the first of the day');
  assert.match(JSON.stringify(await post('IDEA: the second')), /productionPostsPerNetworkPerDay/);
});

test('the query that CONTRIBUTING adds compiles, filters, and passes its test on both engines', async (t) => {
  const folder = await followExample(t, 'Add a query to the store');
  const client = await connect(t, folder);
  const post = async (message: string, replyTo?: string): Promise<string> => {
    const { structuredContent } = await client.callTool({
      name: 'post_message',
      arguments: { message, replyTo },
    });
    return (structuredContent as { id: string }).id;
  };
  const answered = await post('IDEA: an answered one');
  const reply = await post('WORK: an answer', answered);
  const { structuredContent } = await client.callTool({ name: 'read_feed', arguments: { unanswered: true } });
  const { messages, applied } = structuredContent as { messages: { id: string }[]; applied: object };
  assert.deepEqual([messages.map(({ id }) => id), applied], [[reply], { unanswered: true }]);
  const files = ['test/contract/folder.test.ts', 'test/contract/postgres.slow.test.ts'];
  // With it, Node would skip the tests of a test.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ['test/run.js', '--test-name-pattern=a post is unanswered', ...files];
  const output = execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
  assert.match(output, /pass 2\b/);
});
