import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';
import { toTitleMarkup } from '#http/documents/feeds/xml-feed.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { atomOf, channelOf } from '../../../../support/http/feeds.ts';
import { HOSTILE } from '../../../../support/http/hostile.ts';
import { assertProblem } from '../../../../support/http/problem.ts';
import { NO_LIMITS, setUp } from '../../../../support/http/test-app.ts';
import { hide } from '../../../../support/store/writes.ts';

const FIRST = 'post_019c9a31-6400-7000-8000-000000000003';
const REPLY = 'post_019c9a31-6400-7000-8000-000000000004';

test('two messages of one millisecond have times that differ', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true });
  for (const message of ['one', 'two']) await publishPost(workspace, { message }, { clientKey: 'a test' });
  const times = atomOf((await request('GET /feed.atom')).text).entry.map(
    ({ updated }: { updated: string }) => updated,
  );
  assert.deepEqual(times, ['2026-03-02T16:00:00.000001Z', '2026-03-02T16:00:00.000000Z']);
});

test('an empty feed has the time of its first read or none, and is the same at every read', async (t) => {
  const { request, clock } = await setUp(t, { empty: true });
  const now = new Date(clock.now()).toISOString();
  const read = async () => [(await request('GET /feed.atom')).text, (await request('GET /feed.xml')).text];
  const [atom = '', rss = ''] = await read();
  assert.deepEqual([atomOf(atom).entry, atomOf(atom).updated], [undefined, now]);
  assert.deepEqual([channelOf(rss).item, channelOf(rss).lastBuildDate], [undefined, undefined]);
  clock.advance(100_000);
  assert.deepEqual(await read(), [atom, rss]);
});

test('the feed of a thread has its newest 50 messages, the title of its first post, and is the same for each of its posts', async (t) => {
  const { request, workspace } = await setUp(t, { limits: NO_LIMITS });
  const { text } = await request(`GET /posts/${REPLY}/feed.atom`);
  const feed = atomOf(text);
  assert.equal(feed.id, `http://porchlight.test/posts/${FIRST}/feed.atom`);
  assert.match(feed.title, /^the public flood safety leaflet/);
  assert.deepEqual(
    feed.link.map((link: Record<string, string>) => link['@_href']),
    [`http://porchlight.test/posts/${FIRST}`, `http://porchlight.test/posts/${FIRST}/feed.atom`],
  );
  assert.equal((await request(`GET /posts/${FIRST}/feed.atom`)).text, text);
  for (let i = 0; i < 60; i++)
    await publishPost(workspace, { message: `${i}`, replyTo: REPLY }, { clientKey: 'a test' });
  const { entry } = atomOf((await request(`GET /posts/${FIRST}/feed.atom`)).text);
  const seen = [entry.length, entry[0].content['#text'], entry.at(-1).content['#text']];
  assert.deepEqual(seen, [50, '<p>59</p>\n', '<p>10</p>\n']);
});

test('the feed of a thread whose first post is hidden has the title and the address of the post that was asked for', async (t) => {
  const { request, store } = await setUp(t);
  await hide(store, FIRST);
  assertProblem(await request(`GET /posts/${FIRST}/feed.atom`), 404, 'not_found');
  const feed = atomOf((await request(`GET /posts/${REPLY}/feed.atom`)).text);
  assert.equal(feed.id, `http://porchlight.test/posts/${REPLY}/feed.atom`);
  assert.ok(!JSON.stringify(feed).includes('newcomers on the coast'));
});

test('the title of the feed of a thread is plain text, whatever it holds', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true });
  const message = '<b> &amp; &amp;amp; ]]> "R&D" </feed>';
  const { id } = await publishPost(workspace, { message }, { clientKey: 'a test' });
  assert.equal(atomOf((await request(`GET /posts/${id}/feed.atom`)).text).title, message);
});

test('titles have no markup and no reference but numeric ones, as the W3C validator wants', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true, limits: NO_LIMITS });
  for (const message of HOSTILE) await publishPost(workspace, { message }, { clientKey: 'a test' });
  const { text } = await request('GET /feed.xml');
  for (const [, title = ''] of text.matchAll(/<title>(.*?)<\/title>/g))
    assert.doesNotMatch(title, /[<>]|&(?!#x(?:26|3C|3E);)/);
});

describe('a title is escaped where an HTML reader would take it for markup, and nowhere else', () => {
  for (const title of ['R&D', 'a=1&b=2', 'a < b && c > d', 'AT&T "x"', '<3', 'x<', 'y &', "town's", '& ;'])
    it(`${title} stays`, () => {
      assert.equal(toTitleMarkup(title), title);
    });

  for (const [title, markup] of [
    ['<script>', '&lt;script>'],
    ['</b><!-- <?xml', '&lt;/b>&lt;!-- &lt;?xml'],
    ['&eacute; &#233; &#xe9;', '&amp;eacute; &amp;#233; &amp;#xe9;'],
    ['a &lt b &AMP', 'a &amp;lt b &amp;AMP'],
    ['&<b>;', '&&lt;b>;'],
    ['&amp;lt;', '&amp;amp;lt;'],
  ] as const)
    it(`${title} becomes ${markup}`, () => {
      assert.equal(toTitleMarkup(title), markup);
    });
});

test('the title of a feed has no reference but numeric ones, whatever its search holds', async (t) => {
  const { request } = await setUp(t);
  const search = new URLSearchParams({ q: '<b> & &amp;' });
  const titleOf = async (path: string): Promise<string | undefined> =>
    /<title>([^<]*)/.exec((await request(`GET ${path}?${search}`)).text)?.[1];
  assert.equal(await titleOf('/feed.atom'), 'porchlight · “&#x3C;b&#x3E; &#x26; &#x26;amp;”');
  assert.equal(await titleOf('/feed.xml'), 'porchlight · “&#x26;lt;b&#x3E; &#x26; &#x26;amp;amp;”');
});
