import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import { TextBudget } from '#message/words.ts';
import type { FeedResult } from '#store/port/pages.ts';
import type { Post, CountedRecord } from '#store/port/records.ts';
import { TIMEOUTS } from '#store/postgres/connection/connect.ts';
import { findPosts, compareTexts } from '#store/postgres/read/feed.ts';
import { createRunQuery, type RunQuery } from '#store/postgres/read/run-query.ts';
import { filterHashes } from '#store/postgres/schema/words-column.ts';
import { openClient, openNewStore } from '../../../../support/postgres/postgres.ts';
import { aPost } from '../../../../support/store/records.ts';
import { addPosts } from '../../../../support/store/writes.ts';
import { countTurns } from '../../../../support/turns.ts';

const LIMIT = 20;
const WORD = 'oak';

type Find = (before?: string) => Promise<FeedResult>;

interface Counted {
  readonly find: Find;
  readonly statements: () => number;
}

/** Reads posts all of which the index takes for a match, as after collisions of hashes. @param passes milliseconds with each statement */
async function openColliding(
  t: TestContext,
  posts: readonly Omit<Post, 'createdAt'>[],
  passes = 0,
): Promise<Counted> {
  const { url, store } = await openNewStore(t);
  await addPosts(store, posts);
  const client = await openClient(t, url);
  await client.query('update entry set words = $1', [filterHashes({ words: [WORD] })]);
  const pool = new pg.Pool({ connectionString: url, options: '-c search_path=porchlight' });
  t.after(() => pool.end());
  const runQuery = createRunQuery(pool, TIMEOUTS);
  let statements = 0;
  const counting: RunQuery = (name, text, values) => {
    statements += 1;
    return runQuery(name, text, values);
  };
  const find: Find = (before) => {
    const range = { before, limit: LIMIT, maxCandidates: 20_000 };
    return findPosts(counting, { words: [WORD] }, range, () => statements * passes);
  };
  return { find, statements: () => statements };
}

const numbered = (count: number): Omit<Post, 'createdAt'>[] =>
  Array.from({ length: count }, (_, n) => aPost(n % 100 === 0 ? 'an oak' : 'an elm'));

/** @returns the number of posts on each page */
async function readAll(find: Find): Promise<number[]> {
  const pages: number[] = [];
  for (let before: string | undefined; ; ) {
    const { items, examinedTo } = await find(before);
    pages.push(items.length);
    if (examinedTo === null) return pages;
    before = examinedTo;
  }
}

test('a search asks for more rows the more of its candidates do not match', async (t) => {
  const { find, statements } = await openColliding(t, numbered(450));
  const { items } = await find();
  assert.equal(items.length, 5);
  assert.ok(statements() <= 9, `${statements()} statements`);
});

test('a page that takes too long ends early, and the next one goes on there', async (t) => {
  const { find, statements } = await openColliding(t, numbered(900), 400);
  const { examinedTo } = await find();
  assert.notEqual(examinedTo, null);
  assert.equal(statements(), 3);
  const pages = await readAll(find);
  assert.ok(pages.length > 2);
  const total = pages.reduce((sum, page) => sum + page);
  assert.equal(total, 9);
});

test('a page ends with the last text that was compared', async (t) => {
  const long = 'elm '.repeat(2000);
  const posts = Array.from({ length: 150 }, (_, n) => aPost(n === 5 || n === 145 ? `oak ${long}` : long));
  const { find } = await openColliding(t, posts);
  const first = await find();
  const found = first.items.map(({ record }) => record.id);
  assert.deepEqual(found, [posts[145]!.id]);
  const { items, examinedTo } = await find(first.examinedTo!);
  const ids = items.map(({ record }) => record.id);
  assert.deepEqual(ids, [posts[5]!.id]);
  assert.equal(examinedTo, null);
});

const posts = (count: number, message: string): CountedRecord<'post'>[] =>
  Array.from({ length: count }, () => ({
    record: { ...aPost(message), createdAt: '2026-01-01T00:00:00.000000Z' },
    children: 0,
  }));

const LONG = 'a '.repeat(4000);

test('a search compares 1,000,000 characters, and other work goes on meanwhile', async (t) => {
  const turns = countTurns(t);
  const budget = new TextBudget();
  const first = await compareTexts(posts(20, LONG), 9, budget, ['b']);
  assert.deepEqual(first, { matching: [], compared: 20 });
  assert.equal(budget.isSpent, false);
  const second = await compareTexts(posts(200, LONG), 9, budget, ['b']);
  assert.deepEqual(second, { matching: [], compared: 105 });
  assert.equal(budget.isSpent, true);
  assert.ok(turns() >= 20, `${turns()} turns of the event loop`);
});
