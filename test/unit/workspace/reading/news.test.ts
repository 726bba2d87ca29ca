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

test('a page without a post of except is the page itself', async () => {
  for (const except of [[], ['x', 'e']])
    assert.deepEqual(await leaveOut(...except), {
      ids: 'ab',
      nextAfter: '1',
      newer: null,
      queries: [],
      isFirst: true,
    });
});

test('a page keeps the other posts and its cursor', async () => {
  const { ids, nextAfter, queries } = await leaveOut('b', 'c');
  assert.deepEqual({ ids, nextAfter, queries }, { ids: 'a', nextAfter: '1', queries: [] });
});

test('a page of which nothing is left is read on with the other arguments, up to a page with a post or the last one', async () => {
  const second = { ...QUERY, after: '1' };
  const third = { ...QUERY, after: '2' };
  const some = await leaveOut('a', 'b', 'd');
  assert.deepEqual(some, { ids: 'c', nextAfter: '2', newer: null, queries: [second], isFirst: false });
  const rest = await leaveOut('a', 'b', 'c', 'd');
  assert.deepEqual(rest, { ids: 'e', nextAfter: '3', newer: 1, queries: [second, third], isFirst: false });
  const none = await leaveOut('a', 'b', 'c', 'd', 'e');
  assert.deepEqual(none, { ids: '', nextAfter: '3', newer: 0, queries: [second, third], isFirst: false });
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
