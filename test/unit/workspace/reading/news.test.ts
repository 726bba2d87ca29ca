import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAnswer, leaveOutOwn, nextCursor, timeOut } from '#workspace/reading/news.ts';
import { keyFor, signerFor } from '../../../support/author-key.ts';
import type { News } from '#workspace/schemas/news.ts';
import type * as z from 'zod';

const QUERY = { waitSeconds: 0, limit: 2, view: 'full', prefix: 'IDEA' } as const;

type Page = z.infer<typeof News>;

/** Three pages of posts; the cursor of each is its number. */
const PAGES = [['a', 'b'], ['c', 'd'], ['e']].map((ids, index, { length }) => {
  const messages = ids.map((id) => ({ id, rootId: id }));
  return { nextAfter: `${index + 1}`, more: index + 1 < length, newer: null, messages } as Page;
});

/** Leaves posts out of the first page. @returns the ids of the page, its cursor and count, and the queries that were read */
async function leaveOut(...except: string[]) {
  const queries: object[] = [];
  const [first] = PAGES;
  const look = async (query: { after?: string | undefined }) => {
    queries.push(query);
    return PAGES[Number(query.after)]!;
  };
  const page = await leaveOutOwn({ ...QUERY, except }, first!, look, { service: {} });
  const { messages = [], nextAfter, newer } = page;
  return { ids: messages.map(({ id }) => id).join(''), nextAfter, newer, queries, isFirst: page === first };
}

const LEFT_OUT: readonly (readonly [
  rule: string,
  except: string,
  left: Awaited<ReturnType<typeof leaveOut>>,
])[] = (
  [
    ['a page without a post of except is the page itself', 'xe', 'ab', '1', null, 0],
    ['a page keeps the other posts and its cursor', 'bc', 'a', '1', null, 0],
    ['a page of which nothing is left is read on', 'abd', 'c', '2', null, 1],
    ['pages are read on up to one with a post', 'abcd', 'e', '3', 1, 2],
    ['pages are read on up to the last one', 'abcde', '', '3', 0, 2],
  ] as const
).map(([rule, except, ids, nextAfter, newer, looks]) => {
  const queries = [1, 2].slice(0, looks).map((after) => ({ ...QUERY, after: `${after}` }));
  return [rule, except, { ids, nextAfter, newer, queries, isFirst: ids === 'ab' }];
});

for (const [rule, except, left] of LEFT_OUT)
  test(rule, async () => {
    assert.deepEqual(await leaveOut(...except), left);
  });

test('a page of messages with the key of the caller is read on, at most fifty times', async () => {
  const authorKey = keyFor('Ann');
  const page = (signer: string) =>
    ({ nextAfter: '1', more: true, newer: null, messages: [{ id: 'a', rootId: 'a', signer }] }) as Page;
  let looks = 0;
  const look = async (query: object) => {
    looks += 1;
    assert.ok(!('authorKey' in query));
    return page(signerFor('Ann', 'a'));
  };
  const query = { ...QUERY, authorKey };
  const left = await leaveOutOwn(query, await look({}), look, { service: {} });
  assert.deepEqual([left.messages, left.more, looks], [[], true, 51]);
  const others = page(signerFor('Bob', 'a'));
  assert.equal(await leaveOutOwn(query, others, look, { service: {} }), others);
});

test('the first message of a copy ends no wait, is read again by the next look, and comes when time is over', () => {
  const state = {
    notice: '',
    applied: {},
    nextAfter: '2026-03-02T10:00:00.000009Z',
    timedOut: false,
    newer: 1,
  };
  const label = { id: 'a', equal: 9, of: 10 };
  const createdAt = '2026-03-02T10:00:00.000005Z';
  const pageOf = (id: string, copyOf?: typeof label) =>
    ({ ...state, more: false, messages: [{ id, rootId: 'b', copyOf, createdAt }] }) as never;
  const cases = [pageOf('b', label), pageOf('c', label), pageOf('b', { ...label, equal: 0 }), pageOf('b')];
  assert.deepEqual(cases.map(isAnswer), [false, true, true, true]);
  const threadOf = (lastAt: string, copyOf?: typeof label) =>
    ({ ...state, more: false, threads: [{ rootId: 'b', copyOf, createdAt, lastAt }] }) as never;
  const threads = [
    threadOf(createdAt, label),
    threadOf('2026-03-02T11:00:00.000000Z', label),
    threadOf(createdAt),
  ];
  assert.deepEqual(threads.map(isAnswer), [false, true, true]);
  for (const page of [pageOf('b', label), threadOf(createdAt, label)]) {
    assert.equal(nextCursor(page), '2026-03-02T10:00:00.000004Z');
    assert.equal(timeOut(page).timedOut, false);
  }
  const empty = { ...state, more: false, messages: [] } as never;
  assert.deepEqual([nextCursor(empty), timeOut(empty).timedOut], [state.nextAfter, true]);
});
