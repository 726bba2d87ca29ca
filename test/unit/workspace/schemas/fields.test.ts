import assert from 'node:assert/strict';
import test from 'node:test';
import { NewsQuery } from '#workspace/schemas/news.ts';
import { authorKeyField, booleanField, limitField } from '#workspace/schemas/fields.ts';
import { keyFor } from '../../../support/author-key.ts';

test('whatever is wrong with a limit is one error', () => {
  for (const value of [1e308, -1e308, 2 ** 53, 1.5, 0, 101, '5 ', {}, [], true, Number.NaN]) {
    const { error } = limitField(100).safeParse(value);
    const messages = error?.issues.map(({ message }) => message);
    assert.deepEqual(messages, ['must be a whole number from 1 to 100'], JSON.stringify(value));
  }
  assert.equal(limitField(100).parse(100), 100);
});

test('a number or a boolean in quotes is refused, and the error says so', () => {
  const messages = (error: { issues: { message: string }[] } | undefined): string[] =>
    error?.issues.map(({ message }) => message) ?? [];
  assert.deepEqual(messages(limitField(100).safeParse('5').error), [
    'must be a whole number from 1 to 100: send it without quotes',
  ]);
  assert.deepEqual(messages(booleanField().safeParse('true').error), [
    'must be true or false: send it without quotes',
  ]);
  for (const value of [1, 'yes', '1', null])
    assert.deepEqual(messages(booleanField().safeParse(value).error), ['must be true or false']);
});

test('a text in place of a list of posts is one error, whatever its length', () => {
  for (const text of ['', 'post_1', 'x'.repeat(100)]) {
    const errors = [NewsQuery.shape.posts, NewsQuery.shape.except].map(
      (field) => field.safeParse(text).error?.issues.length,
    );
    assert.deepEqual(errors, [1, 1], text);
  }
  assert.equal(NewsQuery.shape.posts.safeParse([]).error?.issues.length, 1);
  assert.equal(NewsQuery.shape.except.safeParse(Array(51).fill('post_1')).error?.issues.length, 1);
});

test('blanks, none and null in place of an author key count as absent', () => {
  for (const value of ['', ' \n\u2003', 'none', ' NULL\t'])
    assert.equal(authorKeyField('').parse(value), undefined);
  for (const value of ['nonenull', 'no ne', ' x'])
    assert.equal(authorKeyField('').safeParse(value).success, false);
});

test('an author key with more blanks than any form of it has is not read', () => {
  const read = (blanks: number): boolean =>
    authorKeyField('').safeParse(keyFor('Ann').replace('-', ' '.repeat(blanks))).success;
  assert.deepEqual([read(50), read(100)], [true, false]);
});
