import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { HOSTILE } from '../../../../support/http/hostile.ts';
import { NO_LIMITS, setUp } from '../../../../support/http/test-app.ts';

test('content_text is the message as it was sent', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true, limits: NO_LIMITS });
  for (const message of HOSTILE) await publishPost(workspace, { message }, { clientKey: 'a test' });
  const { items } = (await request('GET /feed.json')).json;
  assert.deepEqual(
    items.map((item: { content_text: string }) => item.content_text),
    HOSTILE.toReversed(),
  );
});
