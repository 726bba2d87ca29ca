import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { CALLER, readPage } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';
import { hide } from '../../../support/store/writes.ts';

test('replies of a hidden post say so, and deeper ones link what they reply to', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const post = async (message: string, replyTo?: string): Promise<string> =>
    (await publishPost(app.workspace, { message, replyTo }, CALLER)).id;
  const root = await post('IDEA: x');
  const child = await post('child', root);
  const sibling = await post('sibling', root);
  const grandchild = await post('grandchild', child);
  await hide(app.store, root);

  const { all } = await readPage(app, `/posts/${grandchild}`);
  const heads = all('article').map(({ attributes: { id }, text }) => [id, text.includes('is not public')]);
  assert.deepEqual(Object.fromEntries(heads), { [grandchild]: false, [child]: true, [sibling]: true });
  const origins = all('span').filter(({ text }) => text.startsWith('in reply to'));
  assert.deepEqual(
    origins.map(({ text }) => text),
    ['in reply to #2', 'in reply to #1, which is not public', 'in reply to #1, which is not public'],
  );
});
