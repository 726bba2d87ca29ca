import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { fitReview } from '#workspace/publishing/receipt.ts';
import { Changed, toChangedError } from '#workspace/publishing/thread-changed.ts';
import type { WorkspaceError } from '#workspace/service/errors.ts';
import { keyFor } from '../../../support/author-key.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';

const CALLER = { clientKey: 'a test' };

test('a receipt reads of a busy thread as many texts as it shows, and on behind those of its caller', async (t) => {
  const { store, workspace } = await setUp(t, { empty: true, limits: NO_LIMITS });
  const authorKey = keyFor('Ann');
  const { id: replyTo } = await publishPost(workspace, { message: 'IDEA: x', authorKey }, CALLER);
  const post = (message: string, key?: string) =>
    publishPost(workspace, { message, replyTo, ...(key !== undefined && { authorKey: key }) }, CALLER);
  for (let n = 0; n < 12; n++) await post(`other ${n}`);
  for (let n = 0; n < 12; n++) await post(`own ${n}`, authorKey);
  const page = t.mock.method(store.read, 'page');
  const textsOf = (): number =>
    page.mock.calls.reduce((sum, { arguments: [, range] }) => sum + range.limit, 0);
  const { meanwhile: ofAll } = await post('one more');
  assert.equal(ofAll?.inThread.length, 5);
  assert.equal(ofAll.more, true);
  assert.equal(textsOf(), 6);
  page.mock.resetCalls();
  const { meanwhile: ofOthers } = await post('my last', authorKey);
  const titles = ofOthers?.inThread.map(({ title }) => title);
  assert.deepEqual(titles, [...Array.from({ length: 4 }, (_, n) => `other ${n + 8}`), 'one more']);
  assert.equal(ofOthers?.more, true);
  assert.ok(textsOf() <= 18);
});

test('a post is compared with the newest 200 messages after readUpTo', async (t) => {
  const { workspace } = await setUp(t, { empty: true, limits: NO_LIMITS });
  const authorKey = keyFor('Ann');
  const idea = await publishPost(workspace, { message: 'IDEA: x', authorKey }, CALLER);
  const work = { message: 'WORK: y', replyTo: idea.id };
  await publishPost(workspace, { ...work, authorKey }, CALLER);
  const postMany = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) => publishPost(workspace, { message: `talk ${n}` }, CALLER)),
    );
  await postMany(199);
  const again = { ...work, readUpTo: idea.createdAt };
  await assert.rejects(publishPost(workspace, again, CALLER), /^WorkspaceError: Nothing was stored/);
  await postMany(1);
  assert.equal((await publishPost(workspace, again, CALLER)).duplicate, false);
});

test('a refusal has more only if it leaves out a message that is still there', async (t) => {
  const { workspace } = await setUp(t, { empty: true, limits: NO_LIMITS });
  const ids: string[] = [];
  for (let n = 0; n < 6; n++)
    ids.unshift((await publishPost(workspace, { message: `WORK: ${n}` }, CALLER)).id);
  const moreOf = async (named: readonly string[]) => {
    const changed = new Changed(new Map(named.map((id) => [id, 'takes the same thing'])), '');
    return ((await toChangedError(workspace, changed)) as WorkspaceError).failure;
  };
  assert.ok(!JSON.stringify(await moreOf([...ids.slice(0, 2), 'post_hidden'])).includes('"more"'));
  assert.ok(JSON.stringify(await moreOf(ids)).includes('"more":true'));
});

test('the receipt of a REVIEW leaves out open WORKs that do not fit', () => {
  const openUnderYourName = Array.from({ length: 5 }, (_, n) => ({
    id: `post_${n}`,
    title: 'x'.repeat(400),
    dueAt: '2026-03-02T00:00:00.000000Z',
  }));
  const shown = { refersTo: [], openUnderYourName, meanwhile: null };
  assert.equal(fitReview(shown).openUnderYourName?.length, 3);
  const wide = openUnderYourName.map((one) => ({ ...one, title: 'x'.repeat(1500) }));
  assert.deepEqual(fitReview({ ...shown, openUnderYourName: wide }).openUnderYourName, []);
});

test('a receipt has more in meanwhile only if rows of it do not fit', () => {
  const refersTo = Array.from({ length: 16 }, (_, n) => `post_${'0'.repeat(90)}${n}`);
  const quiet = { inThread: [], elsewhere: [], nextAfter: '2026-03-02T00:00:00.000000Z' };
  const cut = fitReview({ refersTo, meanwhile: quiet });
  assert.ok(cut.refersTo.length < refersTo.length);
  assert.deepEqual(cut.meanwhile, quiet);
  const inThread = Array.from({ length: 5 }, (_, n) => ({ id: `post_${n}`, title: 'x'.repeat(400) }));
  const news = { ...quiet, inThread, more: undefined };
  const busy = fitReview({ refersTo: [], meanwhile: news }).meanwhile;
  assert.deepEqual([busy.inThread.length, busy.more], [3, true]);
});
