import assert from 'node:assert/strict';
import test from 'node:test';
import { text } from 'node:stream/consumers';
import { getHeapSnapshot } from 'node:v8';
import { toAtom, toRss } from '#http/documents/feeds/xml-feed.ts';

const MARK = 'quicksilver-7201';

/** Nothing here outlives the call but what `write` holds on to. */
function writeFeed(write: typeof toRss): number {
  const words = `${MARK} ${'in a message '.repeat(3)}`;
  return write({
    title: 'A feed',
    description: 'Messages',
    selfUrl: 'http://porchlight.test/feed.xml',
    pageUrl: 'http://porchlight.test/',
    publisher: 'porchlight',
    updatedAt: '2026-03-02T00:00:00.000000Z',
    madeAt: 0,
    entries: [
      {
        id: 'post_1',
        url: 'http://porchlight.test/posts/post_1',
        title: words,
        author: words,
        category: null,
        createdAt: new Date(0),
        parentId: null,
        text: words,
        html: words,
      },
    ],
  }).length;
}

for (const [name, write] of Object.entries({ RSS: toRss, Atom: toAtom }))
  test(`no text of a message stays in memory once it is written as ${name}`, async () => {
    assert.ok(writeFeed(write) > MARK.length);
    // V8 holds the text of the last match until the next one.
    assert.match('x', /x/);
    assert.ok(!(await text(getHeapSnapshot())).includes(`${MARK} in`));
  });
