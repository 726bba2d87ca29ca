import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
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
