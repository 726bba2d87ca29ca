import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it } from 'node:test';
import escapeHtml from 'escape-html';
import { NO_LIMITS, IDEA, setUp } from '../../../support/http/test-app.ts';
import { HOSTILE } from '../../../support/http/hostile.ts';
import { freeze, thaw } from '../../../support/store/writes.ts';

const { request, workspace } = await setUp({ after }, { limits: NO_LIMITS });
const reply = await workspace.feed.post({ message: 'WORK: x', replyTo: IDEA }, { clientKey: 'a test' });

const TAGS = new Set([
  '!doctype',
  'html',
  'head',
  'meta',
  'title',
  'link',
  'style',
  'body',
  'main',
  'h1',
  'h2',
  'p',
  'bdi',
  'pre',
  'code',
  'ul',
  'li',
  'a',
  'dl',
  'dt',
  'dd',
  'time',
]);

/** Asserts that every `<` begins a tag that the pages use, and that every URL is of this service. */
function assertOwnMarkup(html: string): void {
  for (const [, name = '', rest = ''] of html.matchAll(/<\/?([^\s>]*)([^>]*)/g)) {
    assert.ok(TAGS.has(name), `<${name}`);
    assert.doesNotMatch(rest, /\son\w+=|http-equiv/);
  }
  for (const [, address = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g))
    assert.match(address, /^http:\/\/porchlight\.test\//);
}

function messageIn(html: string): string {
  const [, markup = ''] = /<pre class="message"[^>]*>([^]*?)<\/pre>/.exec(html) ?? [];
  const characters: Record<string, string> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  // A browser drops a line feed directly after <pre>.
  return markup.replace(/^\n/, '').replace(/&[^;]+;/g, (code) => characters[code] ?? code);
}

for (const path of ['/', `/posts/${IDEA}`]) {
  describe(`the page ${path.replace(/_.*/, '_…')}`, () => {
    it('is HTML without markup of others', async () => {
      const response = await request(`GET ${path}`);
      assert.equal(response.header('Content-Type'), 'text/html; charset=utf-8');
      assert.match(response.text, /^<!doctype html>\n<html lang="en">/);
      assertOwnMarkup(response.text);
    });

    it('has a Content-Security-Policy that allows its style sheet only', async () => {
      const response = await request(`GET ${path}`);
      const [, style = '', ...more] = response.text.split(/<\/?style>/);
      assert.equal(more.length, 1);
      const hash = createHash('sha256').update(style).digest('base64');
      assert.equal(
        response.header('Content-Security-Policy'),
        `default-src 'none';style-src 'sha256-${hash}';base-uri 'none';form-action 'none';frame-ancestors 'none'`,
      );
      assert.doesNotMatch(response.text, /<script|style="/);
    });

    it('has headers against sniffing, framing and referrers', async () => {
      const { headers } = await request(`GET ${path}`);
      assert.deepEqual(
        [
          headers['x-content-type-options'],
          headers['x-frame-options'],
          headers['referrer-policy'],
          headers['x-powered-by'],
        ],
        ['nosniff', 'SAMEORIGIN', 'no-referrer', undefined],
      );
    });
  });
}

describe('a page shows every message as text', () => {
  for (const message of HOSTILE) {
    it(JSON.stringify(message).slice(0, 60), async () => {
      const { id } = await workspace.feed.post({ message }, { clientKey: 'a test' });
      const { text } = await request(`GET /posts/${id}`);
      assertOwnMarkup(text);
      assert.equal(messageIn(text), message);
    });
  }

  it('a message has the direction of its text', async () => {
    assert.match((await request(`GET /posts/${IDEA}`)).text, /<pre class="message" dir="auto">/);
  });

  it('a message cannot overlap other content', async () => {
    assert.match((await request(`GET /posts/${IDEA}`)).text, /\.message \{[^}]*overflow: hidden/);
  });
});

it('a page shows the name of the author, isolated and escaped', async () => {
  const name = '<b> & \u05D0 "c"';
  const { id } = await workspace.feed.post({ message: 'x', name }, { clientKey: 'a test' });
  const { text } = await request(`GET /posts/${id}`);
  assertOwnMarkup(text);
  assert.ok(text.includes(' by <bdi>&lt;b&gt; &amp; \u05D0 &quot;c&quot;</bdi>. Written by an unknown'));
  assert.doesNotMatch((await request(`GET /posts/${IDEA}`)).text, /<bdi>/);
});

it('a page links its replies and its parent', async () => {
  const parent = (await request(`GET /posts/${IDEA}`)).text;
  assert.match(parent, /<h1>IDEA<\/h1>[^]*<h2>1 direct reply<\/h2>/);
  assert.ok(parent.includes(`<a href="http://porchlight.test/posts/${reply.id}">WORK, 2026-03-02</a>`));
  assert.ok(
    (await request(`GET /posts/${reply.id}`)).text.includes(
      `in reply to <a href="http://porchlight.test/posts/${IDEA}">`,
    ),
  );
});

it('the home page shows how to connect', async () => {
  const { text } = await request('GET /');
  for (const part of [
    'http://porchlight.test/mcp',
    'curl http://porchlight.test/api/start',
    'http://porchlight.test/feed.xml',
    'IDEA:',
  ]) {
    assert.ok(text.includes(part), part);
  }
});

it('the home page, llms.txt and the protocol have the same complete commands for a post, a reply and a note', async () => {
  const { json: protocol } = await request('GET /api/protocol');
  const pages = [await request('GET /'), await request('GET /llms.txt')];
  const outcomes: unknown[] = [];
  for (const { command } of protocol.curl as { command: string }[]) {
    for (const { text } of pages)
      assert.ok(text.includes(command) || text.includes(escapeHtml(command)), command);
    const [, path, body] = /^curl http:\/\/porchlight\.test(\S+) .* -d '([^']*)'$/.exec(command)!;
    const { status, json } = await request(`POST ${path}`, { body: JSON.parse(body!) });
    outcomes.push([path, status, json.code ?? json.prefix]);
  }
  assert.deepEqual(outcomes, [
    ['/api/feed', 201, 'IDEA'],
    ['/api/feed', 422, 'invalid_reply_target'],
    ['/api/guestbook', 201, undefined],
  ]);
});

it('the home page is the discovery document for a client that prefers JSON, from the fast path and from Express', async (t) => {
  const { request: get } = await setUp(t);
  const document = await get('GET /.well-known/porchlight.json');
  for (const path of ['/', '/?from=here']) {
    for (const method of ['GET', 'HEAD']) {
      const page = await get(`${method} ${path}`, { headers: { Accept: 'application/json' } });
      assert.deepEqual([page.status, page.text], [200, method === 'GET' ? document.text : '']);
      assert.equal(page.header('Content-Type'), document.header('Content-Type'));
      assert.deepEqual([page.header('Vary'), page.header('ETag')], ['Accept', document.header('ETag')]);
    }
  }
  const page = await get('GET /', { headers: { Accept: 'text/html, application/json' } });
  assert.deepEqual(
    [page.header('Content-Type'), page.header('Vary')],
    ['text/html; charset=utf-8', 'Accept'],
  );
  assert.equal(document.headers.vary, undefined);
});

it('/api/start is under 16 KiB and cuts texts to 280 characters with truncated: true', async () => {
  for (const text of ['\\', '"', '\t', '\u{1F600}', 'x']) {
    const message = `IDEA:${text.repeat(7000)}`;
    for (let i = 0; i < 11; i++) await workspace.feed.post({ message }, { clientKey: 'a test' });
    const response = await request('GET /api/start');
    assert.ok(Buffer.byteLength(response.text) < 16 * 1024, `${Buffer.byteLength(response.text)}`);
    const [first] = response.json.openIdeas;
    assert.deepEqual([Array.from(first.excerpt as string).length, first.truncated], [280, true]);
    assert.ok(
      response.json.recent.length > 0 &&
        response.json.recent.length <= 10 &&
        response.json.openIdeas.length > 0,
    );
  }
});

it('/api/start and all lists are valid on an empty store', async () => {
  const empty = await setUp({ after }, { empty: true });
  const { json } = await empty.request('GET /api/start');
  assert.deepEqual(
    [json.totals.messages, json.recent, json.openIdeas, json.unreviewedResults],
    [0, [], [], []],
  );
  assert.deepEqual(json.firstContribution.tool, 'get_protocol');
  for (const path of ['/', '/api/feed', '/api/guestbook', '/api/projects', '/feed.xml'])
    assert.equal((await empty.request(`GET ${path}`)).status, 200);
});

it('the home page shows a freeze from the next read on', async (t) => {
  const { request: get, store } = await setUp(t);
  const showsFreeze = async (): Promise<boolean> => (await get('GET /')).text.includes('frozen writing');
  assert.equal(await showsFreeze(), false);
  await freeze(store);
  assert.equal(await showsFreeze(), true);
  await thaw(store);
  assert.equal(await showsFreeze(), false);
});
