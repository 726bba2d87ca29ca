import assert from 'node:assert/strict';
import test from 'node:test';
import { createDocumentQueryReader } from '#http/rest/document-query.ts';
import { FeedSelection } from '#workspace/schemas/feed-query.ts';

const query = (text: string): URLSearchParams => new URLSearchParams(text);

test('parameters of a document have the order of its schema and its defaults, so that they are one cache key', () => {
  const read = createDocumentQueryReader('/feed.xml', FeedSelection);
  assert.equal(
    JSON.stringify(read(query('threads=true&x=1&prefix=WORK'))),
    '{"prefix":"WORK","threads":true}',
  );
  assert.equal(JSON.stringify(read(query('x=1&x=2&postId=3'))), '{"threads":false}');
});

test('a name that a document does not know is refused below /api/ and ignored elsewhere', () => {
  for (const schema of [undefined, FeedSelection]) {
    const read = createDocumentQueryReader('/api/moderation', schema);
    assert.throws(() => read(query('x=1')), /x is not an argument of this address/);
    assert.doesNotThrow(() => createDocumentQueryReader('/llms.txt', schema)(query('x=1')));
  }
});
