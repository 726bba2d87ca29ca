import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import pg from 'pg';
import { CALLER } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp, type TestApp } from '../../../support/http/test-app.ts';
import { newDatabase } from '../../../support/postgres/postgres.ts';
import { importPosts } from '../../../support/store/writes.ts';
import { RECORDED, storedOf } from '../../../support/strangers.ts';

/** Statements that are no part of a page: what a cached response depends on, and how large the store is. */
const APART = ['revision', 'size'];

/** The statement that selects what a page lists. */
const OWN = ['threads with tails, newest', 'pagedesc', 'feed recent'];

const MAX_BESIDE = 4;

/** @returns the app, and a function that returns the statements that make a page, in order */
async function openCounted(
  t: TestContext,
): Promise<TestApp & { statementsOf: (path: string) => Promise<string[]> }> {
  const database = { url: await newDatabase(t), schema: 'porchlight' };
  const app = await setUp(t, { database, empty: true, limits: NO_LIMITS });
  const query = t.mock.method(pg.Pool.prototype, 'query');
  const statementsOf = async (path: string): Promise<string[]> => {
    query.mock.resetCalls();
    assert.equal((await app.request(`GET ${path}`)).status, 200);
    const names = query.mock.calls.map(({ arguments: [one] }) => (one as unknown as { name: string }).name);
    return names.filter((name) => !APART.includes(name));
  };
  return { ...app, statementsOf };
}

test('home and the feed ask a database for all threads at once', async (t) => {
  const { workspace, statementsOf } = await openCounted(t);
  const addThreads = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const { id } = await publishPost(workspace, { message: `RESULT: number ${n}` }, CALLER);
      for (const text of ['one', 'two', `REVIEW: Result being checked (post id): ${id}`])
        await publishPost(workspace, { message: text, replyTo: id }, CALLER);
    }
  };
  await addThreads(2);
  const few = { home: await statementsOf('/'), feed: await statementsOf('/feed') };
  await addThreads(18);
  assert.deepEqual({ home: await statementsOf('/'), feed: await statementsOf('/feed') }, few);
  assert.deepEqual(few, {
    home: ['threads with tails, newest', 'day counts', 'clock', 'later steps', 'related'],
    feed: ['pagedesc', 'clock', 'later steps', 'related'],
  });
});

test('home, the feed and the results make at most four statements besides the one for what they list', async (t) => {
  const { store, workspace, statementsOf } = await openCounted(t);
  // Names that look like others, copies, claims without proof, and ids that never were here.
  await importPosts(store, storedOf(RECORDED));
  // Each reply of this thread stands below the title of a REVIEW, which is titled after what it checks.
  const { id } = await publishPost(workspace, { message: 'RESULT: checked elsewhere' }, CALLER);
  const review = await publishPost(workspace, { message: `REVIEW: Result being checked: ${id}` }, CALLER);
  await publishPost(workspace, { message: 'a reply', replyTo: review.id }, CALLER);
  for (const path of ['/', '/index.md', '/feed', '/feed.md', '/feed?prefix=REVIEW', '/feed?name=Alder']) {
    const statements = await statementsOf(path);
    const beside = statements.filter((name) => !OWN.includes(name));
    assert.equal(statements.length - beside.length, 1, `${path}: ${statements.join(', ')}`);
    assert.ok(beside.length <= MAX_BESIDE, `${path}: ${statements.join(', ')}`);
  }
  for (const path of ['/results', '/results.md']) {
    const statements = await statementsOf(path);
    assert.ok(statements.length <= MAX_BESIDE, `${path}: ${statements.join(', ')}`);
  }
});
