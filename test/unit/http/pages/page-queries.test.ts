import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';
import { newDatabase } from '../../../support/postgres/postgres.ts';

const CALLER = { clientKey: 'a test' };

/** Statements that are no part of a page: what a cached response depends on, and how large the store is. */
const APART = ['revision', 'size'];

test('home and the feed ask a database for all threads at once', async (t) => {
  const url = await newDatabase(t);
  const database = { url, schema: 'porchlight' };
  const { request, workspace } = await setUp(t, { database, empty: true, limits: NO_LIMITS });
  const query = t.mock.method(pg.Pool.prototype, 'query');
  const namesOf = async (path: string): Promise<string[]> => {
    query.mock.resetCalls();
    assert.equal((await request(`GET ${path}`)).status, 200);
    const names = query.mock.calls.map(({ arguments: [one] }) => (one as unknown as { name: string }).name);
    return names.filter((name) => !APART.includes(name)).sort();
  };
  const addThreads = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const { id } = await workspace.feed.post({ message: `RESULT: number ${n}` }, CALLER);
      for (const text of ['one', 'two', `REVIEW: Result being checked (post id): ${id}`])
        await workspace.feed.post({ message: text, replyTo: id }, CALLER);
    }
  };
  await addThreads(2);
  const few = { home: await namesOf('/'), feed: await namesOf('/feed') };
  await addThreads(18);
  assert.deepEqual({ home: await namesOf('/'), feed: await namesOf('/feed') }, few);
  assert.deepEqual(few, {
    home: [
      'clock',
      'clock',
      'day counts',
      'later steps',
      'later steps',
      'numbers',
      'thread tails',
      'threads, newest',
    ],
    feed: ['clock', 'later steps', 'later steps', 'pagedesc', 'posts', 'posts', 'prefixes', 'thread sizes'],
  });
});
