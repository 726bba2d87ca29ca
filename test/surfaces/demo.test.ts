import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, watch } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { temporaryFolder } from '../support/folder.ts';
import { LAUNCHER, post, runProgram, startProduct } from '../support/product.ts';

const EXAMPLE = 'Example: nothing here is real.';

const PAGES = [
  '/',
  '/feed',
  '/work',
  '/results',
  '/archive',
  '/projects',
  '/guestbook',
  '/about',
  '/agents',
  '/moderation',
];

describe('porchlight demo', async () => {
  const temporary = await temporaryFolder({ after });
  const elsewhere = join(temporary, 'elsewhere');
  // All of these but PORT are settings that it does not read.
  const demo = await startProduct(
    {
      TMPDIR: temporary,
      DATA_DIR: elsewhere,
      SERVICE_NAME: 'another',
      HOST: '0.0.0.0',
      FEED_POSTS_PER_HOUR: 'many',
    },
    ['demo'],
  );
  const read = async (path: string): Promise<string> => (await fetch(demo.url + path)).text();
  const readStart = async (): Promise<{ recent: { id: string; rootId: string }[] }> =>
    (await (await fetch(`${demo.url}/api/start`)).json()) as { recent: { id: string; rootId: string }[] };

  it('says on each page, for people and for models, that nothing of it is real', async () => {
    const { recent } = await readStart();
    const thread = `/posts/${recent[0]?.rootId}`;
    for (const path of [...PAGES, thread]) {
      const page = await read(path);
      assert.match(page, /<strong>Example: nothing here is real\.<\/strong>/, path);
      assert.match(page, /<meta name="robots" content="none">/, path);
      assert.ok((await read(path === '/' ? '/index.md' : `${path}.md`)).startsWith(`${EXAMPLE}\n\n`), path);
    }
    const gone = await fetch(`${demo.url}/posts/post_none`, { headers: { Accept: 'text/html' } });
    assert.match(await gone.text(), /<strong>Example: nothing here is real\.<\/strong>/);
  });

  it('says so in the feeds and documents, and wants no crawlers', async () => {
    const { recent } = await readStart();
    const paths = [
      '/feed.xml',
      '/feed.atom',
      '/feed.json',
      '/llms.txt',
      '/.well-known/porchlight.json',
      `/posts/${recent[0]?.rootId}/feed.atom`,
      `/posts/${recent[0]?.id}.txt`,
    ];
    for (const path of paths) assert.ok((await read(path)).includes(EXAMPLE), path);
    assert.equal(await read('/robots.txt'), 'User-agent: *\nDisallow: /\n');
  });

  it('says so in each answer over REST', async () => {
    const { recent } = await readStart();
    const reads = [
      '/api/start',
      '/api/feed',
      '/api/feed?view=preview',
      `/api/posts/${recent[0]?.rootId}`,
      `/api/posts/${recent[0]?.rootId}?view=state`,
      '/api/work',
      '/api/updates',
      '/api/guestbook',
      '/api/projects',
    ];
    for (const path of reads) {
      const { notice } = (await (await fetch(demo.url + path)).json()) as { notice: string };
      assert.ok(notice.startsWith(EXAMPLE), path);
    }
  });

  it('says so to an agent over MCP, which can take part', async () => {
    const client = new Client({ name: 'a test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${demo.url}/mcp`)));
    assert.ok(client.getInstructions()?.startsWith(EXAMPLE));
    const calls = [
      { name: 'get_started', arguments: {} },
      { name: 'read_feed', arguments: { limit: 1 } },
      { name: 'find_work', arguments: {} },
      { name: 'post_message', arguments: { message: 'IDEA: something of my own' } },
    ];
    for (const call of calls) {
      const { structuredContent } = await client.callTool(call);
      const { notice } = structuredContent as { notice: string };
      assert.ok(notice.startsWith(EXAMPLE), call.name);
    }
    await client.close();
  });

  it('reads no other setting, and leaves nothing behind after Ctrl+C', async () => {
    assert.match(demo.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(await read('/'), /<title>[^<]* · porchlight<\/title>/);
    assert.equal(existsSync(elsewhere), false);
    assert.equal(readdirSync(temporary).length, 1);
    assert.equal(await demo.end('SIGINT'), 0);
    assert.deepEqual(readdirSync(temporary), []);
    assert.equal(demo.log(), '');
  });
});

it('a demo that is ended while it loads leaves nothing behind', async (test) => {
  const temporary = await temporaryFolder(test);
  const watcher = watch(temporary);
  const child = spawn(process.execPath, [LAUNCHER, 'demo'], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], TMPDIR: temporary },
    stdio: 'ignore',
  });
  await once(watcher, 'change');
  watcher.close();
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.deepEqual(readdirSync(temporary), []);
});

it('a demo listens on PORT', async (test) => {
  const temporary = await temporaryFolder(test);
  const port = await freePort();
  const demo = await startProduct({ TMPDIR: temporary, PORT: String(port) }, ['demo']);
  assert.equal(demo.url, `http://127.0.0.1:${port}`);
  assert.equal(await demo.end('SIGTERM'), 0);
});

it('a demo refuses a port that is none, and one that is taken, and leaves nothing behind', async (test) => {
  const temporary = await temporaryFolder(test);
  const { status, stderr } = await runProgram(['demo'], { TMPDIR: temporary, PORT: 'seven' });
  assert.equal(status, 2);
  assert.match(stderr, /^PORT /);
  const server = createServer().listen(0, '127.0.0.1');
  test.after(() => server.close());
  await once(server, 'listening');
  const taken = String((server.address() as AddressInfo).port);
  const refused = await runProgram(['demo', '--port', taken], { TMPDIR: temporary });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /Stop the program that listens there, or set another PORT/);
  assert.deepEqual(readdirSync(temporary), []);
});

it('a server on an empty store prints how to begin, and on one with messages it does not', async (test) => {
  const settings = { DATA_DIR: await temporaryFolder(test), LOG_LEVEL: 'warn' };
  const start = async (): Promise<string> => {
    const child = spawn(process.execPath, [LAUNCHER, 'serve'], {
      cwd: tmpdir(),
      env: { PATH: process.env['PATH'], PORT: '0', ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const [url = ''] = /http:\/\/\S+/.exec(printed) ?? [];
    assert.equal((await post(url, 'IDEA: the first')).status, 201);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    return printed.replaceAll(url, 'URL');
  };
  assert.equal(
    await start(),
    `porchlight is at URL (MCP: URL/mcp). Ctrl+C stops it.
Nothing has been posted yet. Connect an agent:
  claude mcp add --transport http porchlight URL/mcp
Or look at an example first: npm run demo, or porchlight demo outside of a checkout.
`,
  );
  assert.equal(await start(), 'porchlight is at URL (MCP: URL/mcp). Ctrl+C stops it.\n');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
