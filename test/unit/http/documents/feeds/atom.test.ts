import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { atomOf } from '../../../../support/http/feeds.ts';
import { NO_LIMITS, setUp } from '../../../../support/http/test-app.ts';
import { assertProblem } from '../../../../support/http/problem.ts';
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

test('an empty feed has the time of its first read, and is the same at every read', async (t) => {
  const { request, clock } = await setUp(t, { empty: true });
  const now = new Date(clock.now()).toISOString();
  const { text } = await request('GET /feed.atom');
  assert.deepEqual([atomOf(text).entry, atomOf(text).updated], [undefined, now]);
  clock.advance(100_000);
  assert.equal((await request('GET /feed.atom')).text, text);
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
  assert.deepEqual(
    [entry.length, entry[0].content['#text'], entry.at(-1).content['#text']],
    [50, '<p>59</p>\n', '<p>10</p>\n'],
  );
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
