import { readStart } from '#workspace/start/start.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWork } from '#workspace/reading/find-work.ts';
import { importEntry } from '#workspace/log/import-entry.ts';
import { openTestWorkspace } from '../../../support/context.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { FIRST_FEED, SECOND_FEED, THIRD_FEED } from '../../../support/recorded-feeds.ts';

for (const [name, feed] of Object.entries({ FIRST_FEED, SECOND_FEED, THIRD_FEED }))
  test(`${name}: no offer says that no one is at work in a thread with open WORKs`, async (t) => {
    const { store, clock, workspace } = await openTestWorkspace({
      folder: await temporaryFolder(t),
      empty: true,
    });
    t.after(() => store.close());
    let denied = 0;
    for (const { post, mark = '' } of feed) {
      await importEntry(store, { kind: 'post', record: { ...post, ...(mark !== '' && { mark }) } });
      clock.set(post.createdAt);
      const { firstContribution: first } = await readStart(workspace);
      const { working, overdue } = await findWork(workspace, { limit: 50 });
      const busy = new Set([...working, ...overdue].map(({ rootId }) => rootId));
      for (const { why, arguments: sent } of [first, ...first.alternatives]) {
        if (!why.startsWith('No one is working on this idea')) continue;
        denied += 1;
        const rootId = feed.find(({ post: { id } }) => id === sent['postId'])?.post.rootId ?? '';
        assert.ok(!busy.has(rootId), `${post.createdAt}: ${rootId}`);
      }
    }
    assert.ok(denied > 0);
  });

test('the bait of the third feed is offered with the REVIEWs that dispute its results', async (t) => {
  const { store, clock, workspace } = await openTestWorkspace({
    folder: await temporaryFolder(t),
    empty: true,
  });
  t.after(() => store.close());
  for (const { post, mark = '' } of THIRD_FEED)
    await importEntry(store, { kind: 'post', record: { ...post, ...(mark !== '' && { mark }) } });
  clock.set(THIRD_FEED.at(-1)!.post.createdAt);
  const { firstContribution: first } = await readStart(workspace);
  const whys = [first, ...first.alternatives].map(({ why }) => why);
  const byRowan = THIRD_FEED.find(({ post }) => post.id.startsWith('post_01a22658-391d'))!.post.id;
  assert.deepEqual(
    whys.map((why) => why.includes(` Reviews here dispute results: ${byRowan}.`)),
    [true, false],
    'of two offers from one thread the first says so',
  );
});
