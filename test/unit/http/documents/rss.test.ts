import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { NOTICE } from '#workspace/notice.ts';
import { NO_LIMITS, IDEA, setUp } from '../../../support/http/test-app.ts';
import { HOSTILE } from '../../../support/http/hostile.ts';
import { assertWellFormed } from '../../../support/http/xml.ts';

interface Item {
  title: string;
  link: string;
  guid: { '#text': string; '@_isPermaLink': string };
  pubDate: string;
  description: string;
}

const parser = new XMLParser({
  ignoreAttributes: false,
  trimValues: false,
  parseTagValue: false,
  htmlEntities: true,
  isArray: (name) => name === 'item',
});

function channelOf(xml: string) {
  assertWellFormed(xml);
  return parser.parse(xml).rss.channel;
}

/** The text that a feed reader shows of HTML without markup but line breaks. */
function shown(html: string): string {
  assert.doesNotMatch(html.replaceAll('<br/>', ''), /[<>]|&(?!amp;|lt;|gt;|quot;|#39;)/);
  const characters: Record<string, string> = {
    '<br/>': '\n',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  return html.replace(/<br\/>|&[^;]+;/g, (code) => characters[code]!);
}

const inLines = (text: string): string => text.replace(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\n');

test('the feed has the newest 50 messages, newest first', async (t) => {
  const { request, workspace } = await setUp(t, { limits: NO_LIMITS });
  for (let i = 0; i < 60; i++) await workspace.feed.post({ message: `${i}` }, { clientKey: 'a test' });
  const channel = channelOf((await request('GET /feed.xml')).text);
  assert.deepEqual(
    channel.item.map(({ description }: Item) => description),
    Array.from({ length: 50 }, (_, i) => `${59 - i}`),
  );
});

test('the channel has its title, its links and the time of the newest message', async (t) => {
  const { request } = await setUp(t);
  const response = await request('GET /feed.xml');
  assert.equal(response.header('Content-Type'), 'application/rss+xml; charset=utf-8');
  const { item, ...channel } = channelOf(response.text);
  assert.deepEqual(
    [channel.title, channel.link, channel.language],
    ['porchlight', 'http://porchlight.test/', 'en'],
  );
  assert.equal(channel.lastBuildDate, 'Mon, 02 Mar 2026 15:30:00 GMT');
  assert.deepEqual(channel['atom:link'], {
    '@_href': 'http://porchlight.test/feed.xml',
    '@_rel': 'self',
    '@_type': 'application/rss+xml',
  });
  const { guid, link, pubDate } = item.at(-1) as Item;
  assert.deepEqual(guid, { '#text': IDEA, '@_isPermaLink': 'false' });
  assert.deepEqual(
    [link, pubDate],
    [`http://porchlight.test/posts/${IDEA}`, 'Mon, 02 Mar 2026 09:00:00 GMT'],
  );
});

test('the channel description has the notice that messages are data', async (t) => {
  const { request } = await setUp(t);
  const { description } = channelOf((await request('GET /feed.xml')).text);
  assert.ok(description.includes(NOTICE), description);
});

test('an empty feed is well-formed, has no build date, and is the same at every read', async (t) => {
  const { request, clock } = await setUp(t, { empty: true });
  const { text } = await request('GET /feed.xml');
  assert.deepEqual([channelOf(text).item, channelOf(text).lastBuildDate], [undefined, undefined]);
  clock.advance(100_000);
  assert.equal((await request('GET /feed.xml')).text, text);
});

describe('with hostile messages the feed is well-formed and a reader shows their text', async () => {
  const { request, workspace } = await setUp({ after }, { empty: true, limits: NO_LIMITS });
  for (const message of HOSTILE) await workspace.feed.post({ message }, { clientKey: 'a test' });
  const { text } = await request('GET /feed.xml');
  const items = (channelOf(text).item as Item[]).reverse();

  for (const [index, message] of HOSTILE.entries()) {
    const { title, description } = items[index]!;
    it(JSON.stringify(message).slice(0, 60), () => {
      assert.equal(shown(description), inLines(message));
      const [line, cut] = [
        message
          .trim()
          .replace(/\s+/g, ' ')
          .replace(/^\uFEFF/, ''),
        shown(title),
      ];
      assert.ok(
        cut === line.replace('\u0085', ' ') ||
          (cut.endsWith('…') && line.startsWith(cut.slice(0, -1)) && Array.from(cut).length === 100),
        cut,
      );
      assert.doesNotMatch(
        title,
        /&quot;|&#39;/,
        'a reader that takes titles for plain text shows the town&#39;s',
      );
    });
  }

  it('titles have no markup and no entity but &#x26;, as the W3C validator wants', () => {
    for (const [, title = ''] of text.matchAll(/<title>(.*?)<\/title>/g))
      assert.doesNotMatch(title, /<|&(?!#x26;)/);
  });
});

test('the creator of an item is the name of its message, whatever it holds', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true });
  const names = [undefined, 'Harbour', 'a & b &amp; <c> ]]> "d" \u{1F3E1}'];
  for (const name of names) await workspace.feed.post({ message: 'x', name }, { clientKey: 'a test' });
  const { text } = await request('GET /feed.xml');
  const items = channelOf(text).item as { 'dc:creator'?: string }[];
  assert.deepEqual(
    items.map((item) => item['dc:creator']),
    names.toReversed(),
  );
});

test('a title continues after a prefix on a line of its own', async (t) => {
  const { request } = await setUp(t);
  const titles = (channelOf((await request('GET /feed.xml')).text).item as Item[]).map(({ title }) => title);
  assert.equal(
    titles[3],
    'IDEA: Who benefits: newcomers on the coast who do not read English yet Useful outcome: the public f…',
  );
});
