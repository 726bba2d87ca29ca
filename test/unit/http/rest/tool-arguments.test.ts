import assert from 'node:assert/strict';
import test from 'node:test';
import { createDocumentQueryParser } from '#http/rest/tool-arguments.ts';
import { FeedSelection } from '#workspace/schemas/feed-query.ts';

const query = (text: string): URLSearchParams => new URLSearchParams(text);

test('parameters of a document have the order of its schema and its defaults, so that they are one cache key', () => {
  const read = createDocumentQueryParser(FeedSelection);
  const fieldsOf = (text: string): string => JSON.stringify(read(query(text)).fields);
  assert.equal(fieldsOf('threads=true&x=1&prefix=WORK'), '{"prefix":"WORK","threads":true}');
  assert.equal(fieldsOf('x=1&x=2&postId=3'), '{"threads":false}');
});

test('a header names the parameters that a document ignores, each once, in characters of a header', () => {
  const read = createDocumentQueryParser();
  assert.equal(read(query('')).headers, undefined);
  const names = ['x', 'x', 'größe', '東京', '', 'a b, c', 'plk-01234-56789-ABCDE', 'y'.repeat(200)];
  assert.deepEqual(read(new URLSearchParams(names.map((name): [string, string] => [name, '1']))).headers, {
    'Ignored-Parameters': `x, gr_e, _, "", a_b_c, _, ${'y'.repeat(40)}_`,
  });
  const many = new URLSearchParams(Array.from({ length: 90 }, (_, n): [string, string] => [`x${n}`, '1']));
  const { 'Ignored-Parameters': header } = read(many).headers ?? assert.fail('no header');
  assert.equal(header.split(', ').length, 20);
});
