import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { channelOf, shown } from '../../../../support/http/feeds.ts';
import { HOSTILE } from '../../../../support/http/hostile.ts';
import { NO_LIMITS, IDEA, setUp } from '../../../../support/http/test-app.ts';

interface Item {
  link: string[];
  guid: { '#text': string; '@_isPermaLink': string };
  pubDate: string;
  description: string;
}

const inLines = (text: string): string => text.replace(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\n');

test('the channel has its title, its links and the time of the newest message', async (t) => {
  const { request } = await setUp(t);
  const response = await request('GET /feed.xml');
  assert.equal(response.header('Content-Type'), 'application/rss+xml; charset=utf-8');
  const { item, ...channel } = channelOf(response.text);
  assert.deepEqual(
    [channel.title, channel.link, channel.language],
    ['porchlight', ['http://porchlight.test/'], 'en'],
  );
  assert.equal(channel.lastBuildDate, 'Mon, 02 Mar 2026 15:30:00 GMT');
  assert.deepEqual(channel['atom:link'], {
    '@_href': 'http://porchlight.test/feed.xml',
    '@_rel': 'self',
    '@_type': 'application/rss+xml',
  });
  assert.ok(channel.description.includes(NOTICE), channel.description);
  const { guid, link, pubDate } = item.at(-1) as Item;
  assert.deepEqual(guid, { '#text': IDEA, '@_isPermaLink': 'false' });
  assert.deepEqual(
    [link, pubDate],
    [[`http://porchlight.test/posts/${IDEA}`], 'Mon, 02 Mar 2026 09:00:00 GMT'],
  );
});

test('an empty feed is well-formed, has no build date, and is the same at every read', async (t) => {
  const { request, clock } = await setUp(t, { empty: true });
  const { text } = await request('GET /feed.xml');
  assert.deepEqual([channelOf(text).item, channelOf(text).lastBuildDate], [undefined, undefined]);
  clock.advance(100_000);
  assert.equal((await request('GET /feed.xml')).text, text);
});

describe('the description of an item is the text of its message, whatever it holds', async () => {
  const { request, workspace } = await setUp({ after }, { empty: true, limits: NO_LIMITS });
  for (const message of HOSTILE) await publishPost(workspace, { message }, { clientKey: 'a test' });
  const { text } = await request('GET /feed.xml');
  const items = (channelOf(text).item as Item[]).reverse();
  for (const [index, message] of HOSTILE.entries()) {
    it(JSON.stringify(message).slice(0, 60), () => {
      assert.equal(shown(items[index]!.description), inLines(message));
    });
  }

  it('titles have no markup and no reference but numeric ones, as the W3C validator wants', () => {
    for (const [, title = ''] of text.matchAll(/<title>(.*?)<\/title>/g))
      assert.doesNotMatch(title, /[<>]|&(?!#x(?:26|3C|3E);)/);
  });
});
