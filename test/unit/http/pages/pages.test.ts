import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { addNote, createProject, signGuestbook } from '#workspace/porch/porch.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { HOSTILE } from '../../../support/http/hostile.ts';
import { parsePage, type ParsedPage } from '../../../support/http/html.ts';
import { CALLER } from '../../../support/http/pages.ts';
import { IDEA, NO_LIMITS, PROJECT, setUp } from '../../../support/http/test-app.ts';

const { request, workspace } = await setUp({ after }, { limits: NO_LIMITS });
const HOSTILE_NAME = '<b>\u05D0 & "c" ]]>';

const hostileIdea = { message: 'IDEA: hostile texts', name: HOSTILE_NAME };
const { id: hostileRoot } = await publishPost(workspace, hostileIdea, CALLER);
await publishPost(workspace, { message: '<&">\''.repeat(40) }, CALLER);
for (const message of HOSTILE)
  await publishPost(workspace, { message, replyTo: hostileRoot, name: HOSTILE_NAME }, CALLER);
await signGuestbook(workspace, { name: HOSTILE_NAME, note: HOSTILE[1] ?? '' }, CALLER);
const title = '</title><script>alert(1)</script>';
const project = { title, summary: HOSTILE[5] ?? '', by: HOSTILE_NAME, looking_for: HOSTILE[2] };
const { id: hostileProject } = await createProject(workspace, project, CALLER);
await addNote(workspace, { projectId: hostileProject, name: HOSTILE_NAME, note: HOSTILE[6] ?? '' }, CALLER);

const PAGES = [
  ...['/', `/posts/${IDEA}`, `/posts/${hostileRoot}`, '/feed', '/feed?prefix=RESULT', '/feed?q=%3Cscript%3E'],
  ...['/feed?since=2026-03-02&prefix=RESULT', '/work', '/work?list=ideas', '/results', '/archive'],
  ...['/archive/2026-03-02', '/projects', `/projects/${PROJECT}`, `/projects/${hostileProject}`],
  ...['/guestbook', '/moderation', `/report?id=${IDEA}`, '/about', '/agents'],
];

it('browsers find the search by its description', async () => {
  const { text } = await request('GET /opensearch.xml');
  assert.match(text, /<Url type="text\/html" template="http:\/\/[^"]+\/feed\?q=\{searchTerms\}"\/>/);
  const { text: page } = await request('GET /about');
  assert.match(
    page,
    /<link rel="search" type="application\/opensearchdescription\+xml"[^>]+href="\/opensearch.xml">/,
  );
  assert.match(page, /<form role="search" action="\/feed">/);
});

const FAILURES: [path: string, status: number][] = [
  ['/nowhere', 404],
  ['/posts/post_unknown', 404],
  ['/projects/project_unknown', 404],
  ['/archive/2026-02-30', 404],
  ['/archive/yesterday', 404],
  ['/archive?year=1999', 404],
  ['/archive?year=x', 422],
  ['/feed?before=garbage', 422],
  ['/feed?prefix=RUMOUR', 422],
  ['/feed?q=a%20b%20c%20d%20e%20f%20g%20h%20i', 422],
  ['/feed?q=a&q=b', 422],
  ['/feed?since=yesterday', 422],
  ['/feed?author=Tally', 422],
  ['/?q=benches', 422],
  ['/work?before=2026-03-02T00:00:00Z', 422],
  ['/work?list=confirmed', 422],
  [`/posts/${IDEA}?after=1`, 422],
  ['/%zz', 400],
];

const BROWSER = { headers: { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } };

/** Attributes that may hold an address. */
const ADDRESSES = ['href', 'src', 'action', 'srcset', 'poster', 'formaction', 'data', 'background'];

/** @returns the page, which has neither a script nor an address of others */
function assertSound(html: string): ParsedPage {
  const page = parsePage(html);
  assert.deepEqual(page.errors, []);
  for (const { name, attributes } of page.elements) {
    const isActive = ['script', 'style', 'iframe', 'object', 'embed', 'img', 'base', 'video'].includes(name);
    assert.ok(!isActive, `<${name}>`);
    for (const [key, value] of Object.entries(attributes)) {
      assert.ok(!key.startsWith('on') && key !== 'style' && key !== 'http-equiv', `${name} ${key}`);
      if (ADDRESSES.includes(key))
        assert.match(value, /^(?:\/(?!\/)|#|http:\/\/porchlight\.test\/)/, `${name} ${key}`);
    }
  }
  for (const name of ['main', 'h1', 'title', 'header', 'footer'])
    assert.ok(page.all(name).length >= 1, `no <${name}>`);
  assert.equal(page.all('h1').length, 1);
  assert.equal(page.all('main').length, 1);
  assert.notEqual(page.all('h1')[0]?.text.trim(), '');
  assert.equal(page.elements.find(({ name }) => name === 'a')?.attributes['href'], '#main');
  for (const { text } of page.all('a')) assert.notEqual(text.trim(), '', 'a link without a text');
  const ids = page.elements.flatMap(({ attributes: { id } }) => (id === undefined ? [] : [id]));
  assert.deepEqual(ids, [...new Set(ids)], 'an id occurs twice');
  const headings = page.elements
    .filter(({ name }) => /^h[1-6]$/.test(name))
    .map(({ name }) => Number(name[1]));
  const skips = headings.some((level, index) => index > 0 && level - (headings[index - 1] ?? 0) > 1);
  assert.ok(!skips, `a heading skips a level: ${headings.join(' ')}`);
  return page;
}

for (const path of PAGES) {
  describe(`the page ${path}`, () => {
    it('is sound HTML without a script, and announces its feeds, its Markdown and its address', async () => {
      const response = await request(`GET ${path}`, BROWSER);
      const { text } = response;
      assert.equal(response.status, 200);
      assert.equal(response.header('Content-Type'), 'text/html; charset=utf-8');
      assert.equal(
        response.header('Content-Security-Policy'),
        `default-src 'none';style-src 'self';img-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'`,
      );
      const page = assertSound(text);
      assert.ok(Buffer.byteLength(text) <= 300_000, `${Buffer.byteLength(text)} bytes`);
      const types = page.all('link', { rel: 'alternate' }).map(({ attributes }) => attributes['type']);
      for (const type of [
        'application/rss+xml',
        'application/atom+xml',
        'application/feed+json',
        'text/markdown',
      ])
        assert.ok(types.includes(type), type);
      const [markdown] = page.all('link', { type: 'text/markdown' });
      assert.equal((await request(`GET ${markdown?.attributes['href'] ?? ''}`)).status, 200);
      const canonical = page.all('link', { rel: 'canonical' })[0]?.attributes['href'] ?? '';
      assert.match(canonical, /^http:\/\/porchlight\.test\//);
      assert.ok(page.all('meta', { name: 'description' })[0]?.attributes['content']);
    });

    it('is the same as Markdown, with every text of a stranger behind the mark of its lines', async () => {
      const markdown = await request(`GET ${path}`, { headers: { Accept: 'text/markdown' } });
      assert.equal(markdown.header('Content-Type'), 'text/markdown; charset=utf-8');
      assert.match(markdown.header('Vary'), /\bAccept\b/);
      const [pathname = '', query] = path.split('?');
      const twin = `${pathname === '/' ? '/index' : pathname}.md${query === undefined ? '' : `?${query}`}`;
      assert.equal((await request(`GET ${twin}`)).text, markdown.text);
      assert.match(markdown.text, /^(?:# |> )/);
      for (const line of markdown.text.split(/\r\n|[\r\n\u0085\u2028\u2029]/))
        assert.doesNotMatch(line.replace(/│ .*/, ''), /script>|<b>|&lt;/, line);
      assert.equal((markdown.text.match(/^```/gm) ?? []).length % 2, 0, 'ends within a fence');
    });
  });
}

test('home and About have a description for search engines, home is small, and About names a contact', async (t) => {
  const empty = await setUp(t, { empty: true, contact: 'mail@example.org' });
  for (const path of ['/', '/about']) {
    const { text } = await empty.request(`GET ${path}`, BROWSER);
    const page = parsePage(text);
    const { content = '' } = page.all('meta', { name: 'description' })[0]?.attributes ?? {};
    assert.ok(content.length > 50 && content.length <= 155, content);
    assert.equal(page.all('a', { href: 'mailto:mail@example.org' }).length, path === '/about' ? 1 : 0);
    if (path === '/') assert.ok(Buffer.byteLength(text) <= 6144, `${Buffer.byteLength(text)} bytes`);
  }
});

test('the preview of a thread begins with that its writer is not verified, without the name', async () => {
  const page = parsePage((await request(`GET /posts/${hostileRoot}`, BROWSER)).text);
  const meta = (name: string, key = 'property'): string =>
    page.all('meta', { [key]: name })[0]?.attributes['content'] ?? '';
  assert.match(meta('og:description'), /^Message by an unverified writer; \d+ replies\. /);
  assert.doesNotMatch(meta('og:description'), /\u05D0/);
  assert.deepEqual([meta('og:type'), meta('twitter:card', 'name')], ['article', 'summary_large_image']);
  assert.match(meta('og:image:alt'), /lantern/);
});

test('the style sheet, the icons and the picture of the service are files that may be cached', async () => {
  const page = parsePage((await request('GET /', BROWSER)).text);
  const [style] = page.all('link', { rel: 'stylesheet' });
  const [preview] = page.all('meta', { property: 'og:image' });
  const files: [path: string, type: string, start: string][] = [
    [style?.attributes['href'] ?? '', 'text/css; charset=utf-8', '\n:root{'],
    [new URL(preview?.attributes['content'] ?? '').pathname, 'image/png', '\x89PNG'],
    ['/favicon.ico', 'image/x-icon', '\0\0\x01\0'],
    ['/icon.svg', 'image/svg+xml', '<svg'],
  ];
  for (const [path, type, start] of files) {
    const response = await request(`GET ${path}`);
    assert.deepEqual([response.status, response.header('Content-Type')], [200, type], path);
    assert.equal(response.body.subarray(0, start.length).toString('latin1'), start);
    assert.match(response.header('Cache-Control'), /max-age=(?:604800|31536000, immutable)$/);
  }
  assert.match(files[0]?.[0] ?? '', /^\/style-[0-9a-f]{12}\.css$/);
});

describe('a failure', () => {
  for (const [path, status] of FAILURES) {
    it(`of ${path} is a page with the status ${status} to a browser`, async () => {
      const page = await request(`GET ${path}`, BROWSER);
      assert.equal(page.status, status);
      assert.equal(page.header('Content-Type'), 'text/html; charset=utf-8');
      assertSound(page.text);
    });

    it(`of ${path} is problem details to every other client`, async () => {
      const problem = await request(`GET ${path}`, { headers: { Accept: '*/*' } });
      assert.equal(problem.status, status);
      assert.equal(problem.header('Content-Type'), 'application/problem+json; charset=utf-8');
    });
  }

  const forPrograms = ['/api/feed?before=garbage', '/mcp', '/.well-known/nothing.json', '/feed.xml/x'];
  for (const path of [...forPrograms, '/posts/x/feed.atom'])
    it(`of ${path} is never a page`, async () => {
      const response = await request(`GET ${path}`, BROWSER);
      assert.ok(response.status >= 400);
      assert.doesNotMatch(response.header('Content-Type'), /html/);
    });
});

test('a page that is cached is not the page of an id that ends with its query', async (t) => {
  const { request } = await setUp(t);
  const query = new URLSearchParams({ after: '2020-01-01T00:00:00Z' }).toString();
  assert.equal((await request(`GET /posts/${IDEA}?${query}`)).status, 200);
  assert.equal((await request(`GET /posts/${encodeURIComponent(`${IDEA}?${query}`)}`)).status, 404);
});

const FORMS: [accept: string, page: string, failure: string][] = [
  ['text/markdown, text/html, */*', 'text/markdown', 'application/problem+json'],
  ['text/markdown, text/html;q=0.9', 'text/markdown', 'application/problem+json'],
  ['application/json, text/html;q=0.5', 'text/html', 'application/problem+json'],
  ['text/html, text/markdown', 'text/html', 'text/html'],
  ['text/html;q=0.9, text/markdown;q=0.1', 'text/html', 'text/html'],
];

for (const [Accept, ofPage, ofFailure] of FORMS)
  test(`Accept: ${Accept} chooses the form of a page and of a failure by weight`, async (t) => {
    const { request } = await setUp(t);
    const types = [`/posts/${IDEA}`, '/posts/nothing'].map(async (path) => {
      const response = await request(`GET ${path}`, { headers: { Accept } });
      return response.header('Content-Type').split(';')[0];
    });
    assert.deepEqual(await Promise.all(types), [ofPage, ofFailure]);
  });
