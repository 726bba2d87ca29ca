import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { Changed, toChangedError } from '#workspace/publishing/thread-changed.ts';
import type { WorkspaceError } from '#workspace/service/errors.ts';
import { keyFor } from '../../../support/author-key.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';

const CALLER = { clientKey: 'a test' };

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
