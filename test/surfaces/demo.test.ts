import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { keyFor } from '../support/author-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { postJson } from '../support/http/post-json.ts';
import { runProgram, startProduct } from '../support/product.ts';
import { thoroughTest } from '../support/thorough.ts';

const EXAMPLE = 'Example: nothing here is real.';

const PAGES = [
  ...['/', '/feed', '/work', '/results', '/archive', '/projects', '/guestbook', '/about'],
  ...['/agents', '/moderation'],
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

  thoroughTest('says on each page, for people and for models, that nothing of it is real', async () => {
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

  it('shows four findings on home, and settled results in a feed', async () => {
    assert.equal((await read('/')).match(/<p class="what"/g)?.length, 4);
    assert.ok((await read('/results.atom')).split('<entry>').length > 5);
  });

  it('says so at each address that it describes, and wants no crawlers', async () => {
    const { recent } = await readStart();
    const { projects } = (await (await fetch(`${demo.url}/api/projects`)).json()) as Found;
    const described = JSON.parse(await read('/openapi.json')) as { paths: Record<string, { get?: object }> };
    const addresses = Object.entries(described.paths).flatMap(([path, { get }]) => (get ? [path] : []));
    assert.ok(addresses.length > 25);
    const [post, project] = [recent[0]?.id ?? '', projects[0]?.id ?? ''];
    const silent: string[] = [];
    for (const address of addresses) {
      const text = await read(address.replace('{postId}', post).replace('{projectId}', project));
      if (!text.includes(EXAMPLE)) silent.push(address);
      if (address.startsWith('/api/')) assert.ok(text.slice(0, 80).includes(EXAMPLE), address);
    }
    // These have no text of anybody.
    assert.deepEqual(silent.sort(), [
      '/.well-known/ai-catalog.json',
      '/.well-known/api-catalog',
      '/healthz',
      '/icon.svg',
      '/robots.txt',
      '/sitemap.xml',
    ]);
    assert.equal(await read('/robots.txt'), 'User-agent: *\nDisallow: /\n');
  });

  it('says so in each answer to an agent over MCP, which can take part', async () => {
    const client = new Client({ name: 'a test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${demo.url}/mcp`)));
    assert.ok(client.getInstructions()?.startsWith(EXAMPLE));
    const { recent } = await readStart();
    const { projects } = (await (await fetch(`${demo.url}/api/projects`)).json()) as Found;
    const [postId = '', projectId = ''] = [recent[0]?.rootId, projects[0]?.id];
    const calls: Record<string, object> = {
      get_started: {},
      get_protocol: {},
      read_feed: { limit: 1 },
      read_thread: { postId, view: 'state' },
      wait_for_messages: { posts: [postId], waitSeconds: 0 },
      find_work: {},
      post_message: { message: 'IDEA: something of my own' },
      report_message: { id: postId, reason: 'other' },
      read_guestbook: {},
      sign_guestbook: { name: 'Visitor', note: 'I look around.' },
      list_projects: {},
      create_project: { title: 'A test', by: 'Visitor', summary: 'It tests the demo.' },
      read_project: { projectId },
      add_note: { projectId, name: 'Visitor', note: 'I look at this.' },
    };
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(calls).sort());
    for (const [name, args] of Object.entries(calls)) {
      const { content, isError } = await client.callTool({ name, arguments: { ...args } });
      const [{ text } = { text: '' }] = content as { text: string }[];
      assert.ok(isError !== true && text.startsWith(`{"notice":"${EXAMPLE}`), `${name}: ${text}`);
    }
    for (const { uri } of (await client.listResources()).resources) {
      const [{ text } = { text: '' }] = (await client.readResource({ uri })).contents as { text: string }[];
      assert.ok(text.startsWith(`{"notice":"${EXAMPLE}`), uri);
    }
    for (const { name, arguments: args } of (await client.listPrompts()).prompts) {
      const prompt = await client.getPrompt({ name, arguments: args === undefined ? {} : { postId } });
      for (const { content } of prompt.messages) {
        const said = content.type === 'resource' ? JSON.stringify(content.resource) : JSON.stringify(content);
        assert.ok(said.includes(EXAMPLE), name);
      }
    }
    await client.close();
  });

  it('says so in the refusal of a WORK that a trusted agent took first', async () => {
    const send = (body: object): Promise<Response> => postJson(`${demo.url}/api/feed`, body);
    const authorKey = keyFor('Visitor');
    const begun = await send({ message: 'IDEA: a bench', authorKey });
    const idea = (await begun.json()) as { id: string; createdAt: string };
    const work = { message: `WORK: it\nStep I am taking: ${idea.id}`, replyTo: idea.id };
    assert.equal((await send({ ...work, authorKey })).status, 201);
    const refused = await send({ ...work, name: 'Visitor', readUpTo: idea.createdAt });
    assert.equal(refused.status, 409);
    const { meanwhile } = (await refused.json()) as { meanwhile: { notice: string } };
    assert.ok(meanwhile.notice.startsWith(EXAMPLE));
  });

  thoroughTest('cannot be copied by a mirror, which would not say so', async (test) => {
    const settings = { DATA_DIR: await temporaryFolder(test), LOG_LEVEL: 'warn' };
    const { status, stderr } = await runProgram(['mirror', demo.url, '--once'], settings);
    assert.equal(status, 1);
    assert.match(stderr, /is refused: everything on it is invented, as its first line says/);
    const exported = await runProgram(['export', '-'], settings);
    // The line that begins an export, and the one that ends it.
    assert.equal(exported.stdout.trim().split('\n').length, 2);
  });

  it('reads no other setting, and writes no file, and ends with Ctrl+C', async () => {
    assert.match(demo.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(await read('/'), /<title>[^<]* · porchlight<\/title>/);
    assert.equal(existsSync(elsewhere), false);
    assert.equal(await demo.end('SIGINT'), 0);
    assert.deepEqual(readdirSync(temporary), []);
    assert.equal(demo.log(), '');
  });
});

interface Found {
  readonly projects: readonly { readonly id: string }[];
}
