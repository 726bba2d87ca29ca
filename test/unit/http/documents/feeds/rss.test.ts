import assert from 'node:assert/strict';
import test, { after, describe, it } from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { channelOf, shown } from '../../../../support/http/feeds.ts';
import { HOSTILE } from '../../../../support/http/hostile.ts';
import { NO_LIMITS, setUp } from '../../../../support/http/test-app.ts';

interface Item {
  description: string;
}

const inLines = (text: string): string => text.replace(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\n');

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
