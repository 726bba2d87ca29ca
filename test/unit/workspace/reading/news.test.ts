import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinLooks, leaveOutOwn } from '#workspace/reading/news.ts';

const QUERY = { waitSeconds: 0, limit: 2, view: 'full', prefix: 'IDEA' } as const;

/** Three pages of posts; the cursor of each is its number. */
const PAGES = [['a', 'b'], ['c', 'd'], ['e']].map((ids, index, { length }) => ({
  nextAfter: `${index + 1}`,
  more: index + 1 < length,
  newer: null,
  messages: ids.map((id) => ({ id, rootId: 'r', name: id < 'd' ? 'Ann' : null, createdAt: '0' })),
}));

type Pages = (typeof PAGES)[number] & { readonly leftOut?: readonly string[] };

/** Nobody has a key. */
const byNobody = async (messages: readonly { readonly id: string }[]) =>
  new Map(messages.map(({ id }): [string, boolean] => [id, false]));

/** Leaves posts out of the first page. @returns the ids of the page, its cursor and count, and the queries that were read */
async function leaveOut(...except: string[]) {
  const queries: object[] = [];
  const [first] = PAGES;
  const look = async (query: { after?: string | undefined }) => {
    queries.push(query);
    return PAGES[Number(query.after)]!;
  };
  const page = await leaveOutOwn<Pages>({ ...QUERY, except }, first!, look, byNobody);
  const { messages, nextAfter, newer } = page;
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

test('the exact name of exceptName is left out; what its owner did not sign is named', async () => {
  const read = async (given: object, ...owned: string[]) => {
    const { messages, leftOut, nextAfter } = await leaveOutOwn<Pages>(
      { ...QUERY, ...given },
      PAGES[0]!,
      async (query) => PAGES[Number(query.after)]!,
      async (messages) => new Map(messages.map(({ id }) => [id, owned.includes(id)])),
    );
    return [messages.map(({ id }) => id).join(''), leftOut?.join(''), nextAfter];
  };
  assert.deepEqual(await read({ exceptName: 'Bob' }), ['ab', undefined, '1']);
  for (const alike of ['ａnn ', 'ann', 'Ann '])
    assert.deepEqual(await read({ exceptName: alike }), ['ab', undefined, '1'], alike);
  assert.deepEqual(await read({ exceptName: 'Ann' }), ['d', 'cba', '2']);
  assert.deepEqual(await read({ exceptName: 'Ann' }, 'a', 'c'), ['d', 'b', '2']);
  assert.deepEqual(await read({ exceptName: 'Ann' }, 'a', 'b', 'c'), ['d', undefined, '2']);
  assert.deepEqual(await read({ exceptName: 'Ann', except: ['b', 'd'] }), ['e', 'ca', '3']);
});

test('a feed of one name is read for ten pages, then the caller goes on', async () => {
  let looks = 0;
  const page = {
    nextAfter: '1',
    more: true,
    newer: null,
    messages: [{ id: 'a', rootId: 'r', name: 'Ann', createdAt: '0' }],
  };
  const look = async () => {
    looks += 1;
    return page;
  };
  const { messages, more } = await leaveOutOwn({ ...QUERY, exceptName: 'Ann' }, page, look, byNobody);
  assert.deepEqual([messages, more, looks], [[], true, 10]);
});

test('later looks of a call keep what earlier ones left out, the newest ten', () => {
  const page = { nextAfter: '2', more: false, newer: 1, messages: [] };
  const leftOut = Array.from({ length: 9 }, (_, n) => `old ${n}`);
  assert.equal(joinLooks(page, page), page);
  const joined: { leftOut?: readonly string[] } = joinLooks(
    { ...page, leftOut },
    { ...page, leftOut: ['y', 'x'] },
  );
  assert.deepEqual(joined.leftOut, ['y', 'x', ...leftOut.slice(0, 8)]);
});

test('of threads the messages of a name are left out up to the cursor, as many as except has room for', async () => {
  const messages = [1, 2, 3].map((n) => ({
    id: `post_${n}`,
    rootId: 'r',
    name: 'Ann',
    createdAt: `${n}`,
  }));
  const threads: Pages & { threads: object[] } = {
    ...PAGES[0]!,
    nextAfter: '2',
    messages: [],
    threads: [{}],
  };
  const asked: unknown[] = [];
  const look = async (query: { except?: string[] | undefined; view: string }) => {
    asked.push(query.except);
    return query.view === 'preview' ? { ...threads, messages } : threads;
  };
  const read = (except: string[], ownersOf = byNobody) =>
    leaveOutOwn({ ...QUERY, view: 'threads', exceptName: 'Ann', except }, threads, look, ownersOf);
  assert.deepEqual((await read(['post_9'])).leftOut, ['post_2', 'post_1']);
  assert.deepEqual(asked.at(-1), ['post_9', 'post_1', 'post_2', 'post_3']);
  assert.deepEqual(
    (
      await read(
        [],
        async () =>
          new Map([
            ['post_1', true],
            ['post_2', false],
          ]),
      )
    ).leftOut,
    ['post_2'],
  );
  const full = Array.from({ length: 49 }, (_, n) => `post_9${n}`);
  assert.deepEqual((await read(full)).leftOut, ['post_1']);
});
