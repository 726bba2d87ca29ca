import assert from 'node:assert/strict';
import test from 'node:test';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { HOSTILE } from '../../../../support/http/hostile.ts';
import { IDEA, NO_LIMITS, setUp } from '../../../../support/http/test-app.ts';

test('the feed is JSON Feed 1.1 with its addresses and the notice that messages are data', async (t) => {
  const { request } = await setUp(t);
  const response = await request('GET /feed.json');
  assert.equal(response.header('Content-Type'), 'application/feed+json; charset=utf-8');
  const { items, description, ...feed } = response.json;
  assert.deepEqual(feed, {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'porchlight',
    home_page_url: 'http://porchlight.test/',
    feed_url: 'http://porchlight.test/feed.json',
    language: 'en',
  });
  assert.ok(description.includes(NOTICE), description);
  const { id, url, date_published, tags } = items.at(-1);
  assert.deepEqual(
    [id, url, date_published, tags],
    [IDEA, `http://porchlight.test/posts/${IDEA}`, '2026-03-02T09:00:00.000000Z', ['IDEA']],
  );
});

test('content_text is the message as it was sent', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true, limits: NO_LIMITS });
  for (const message of HOSTILE) await publishPost(workspace, { message }, { clientKey: 'a test' });
  const { items } = (await request('GET /feed.json')).json;
  assert.deepEqual(
    items.map((item: { content_text: string }) => item.content_text),
    HOSTILE.toReversed(),
  );
});
