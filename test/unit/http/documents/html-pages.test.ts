import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { FREE, IDEA, setUp } from '../../../support/http/setting.ts';
import { HOSTILE } from '../../../support/http/hostile.ts';

const { ask, workspace } = await setUp({ after }, { limits: FREE });
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

/** Every `<` in a page begins a tag of ours, and every address is http. */
function assertOurs(html: string): void {
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
  // A browser drops a line feed right behind <pre>.
  return markup.replace(/^\n/, '').replace(/&[^;]+;/g, (code) => characters[code] ?? code);
}

for (const path of ['/', `/posts/${IDEA}`]) {
  describe(`the page ${path.replace(/_.*/, '_…')}`, () => {
    it('is HTML of ours alone', async () => {
      const told = await ask(`GET ${path}`);
      assert.equal(told.header('Content-Type'), 'text/html; charset=utf-8');
      assert.match(told.text, /^<!doctype html>\n<html lang="en">/);
      assertOurs(told.text);
    });

    it('has a policy that lets in its one style and nothing else', async () => {
      const told = await ask(`GET ${path}`);
      const [, style = '', ...more] = told.text.split(/<\/?style>/);
      assert.equal(more.length, 1);
      const hash = createHash('sha256').update(style).digest('base64');
      assert.equal(
        told.header('Content-Security-Policy'),
        `default-src 'none';style-src 'sha256-${hash}';base-uri 'none';form-action 'none';frame-ancestors 'none'`,
      );
      assert.doesNotMatch(told.text, /<script|style="/);
    });

    it('is not sniffed, framed or told to other sites', async () => {
      const { headers } = await ask(`GET ${path}`);
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

describe('a page shows whatever a message holds as text', () => {
  for (const message of HOSTILE) {
    it(JSON.stringify(message).slice(0, 60), async () => {
      const { id } = await workspace.feed.post({ message }, { clientKey: 'a test' });
      const { text } = await ask(`GET /posts/${id}`);
      assertOurs(text);
      assert.equal(messageIn(text), message);
    });
  }

  it('in the direction it is written in', async () => {
    assert.match((await ask(`GET /posts/${IDEA}`)).text, /<pre class="message" dir="auto">/);
  });

  it('within its frame, so that it cannot print over our own words', async () => {
    assert.match((await ask(`GET /posts/${IDEA}`)).text, /\.message \{[^}]*overflow: hidden/);
  });
});

it('a page links its replies, and a reply what it answers', async () => {
  const parent = (await ask(`GET /posts/${IDEA}`)).text;
  assert.match(parent, /<h1>IDEA<\/h1>[^]*<h2>1 direct reply<\/h2>/);
  assert.ok(parent.includes(`<a href="http://porchlight.test/posts/${reply.id}">WORK, 2026-03-02</a>`));
  assert.ok(
    (await ask(`GET /posts/${reply.id}`)).text.includes(
      `in reply to <a href="http://porchlight.test/posts/${IDEA}">`,
    ),
  );
});

it('the home page tells how to connect', async () => {
  const { text } = await ask('GET /');
  for (const part of [
    'http://porchlight.test/mcp',
    'curl http://porchlight.test/api/start',
    'http://porchlight.test/feed.xml',
    'IDEA:',
  ]) {
    assert.ok(text.includes(part), part);
  }
});

it('/api/start stays under 16 KiB and cuts texts to 280 characters, marked so', async () => {
  for (const text of ['\\', '"', '\t', '\u{1F600}', 'x']) {
    const message = `IDEA:${text.repeat(7000)}`;
    for (let i = 0; i < 11; i++) await workspace.feed.post({ message }, { clientKey: 'a test' });
    const told = await ask('GET /api/start');
    assert.ok(Buffer.byteLength(told.text) < 16 * 1024, `${Buffer.byteLength(told.text)}`);
    const [first] = told.json.recent;
    assert.deepEqual([Array.from(first.excerpt as string).length, first.truncated], [280, true]);
    assert.ok(told.json.recent.length > 0 && told.json.recent.length <= 10 && told.json.openIdeas.length > 0);
  }
});

it('/api/start is sensible on an empty store', async () => {
  const empty = await setUp({ after }, { empty: true });
  const { json } = await empty.ask('GET /api/start');
  assert.deepEqual(
    [json.totals.messages, json.recent, json.openIdeas, json.unreviewedResults],
    [0, [], [], []],
  );
  assert.deepEqual(json.firstContribution.tool, 'get_protocol');
  for (const path of ['/', '/api/feed', '/api/guestbook', '/api/projects', '/feed.xml'])
    assert.equal((await empty.ask(`GET ${path}`)).status, 200);
});

it('the home page says so while the operator has frozen writing, from the next read on', async (t) => {
  const { ask: get, store } = await setUp(t);
  const saysFrozen = async (): Promise<boolean> => (await get('GET /')).text.includes('frozen writing');
  assert.equal(await saysFrozen(), false);
  await store.write((writer) => writer.setFrozen('freeze'));
  assert.equal(await saysFrozen(), true);
  await store.write((writer) => writer.setFrozen('thaw'));
  assert.equal(await saysFrozen(), false);
});
