import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { openFirst, StoreLocation, textsOf, type OpenStore } from '../support/store/store-location.ts';
import { boardOf, listWork } from '../support/derived-work.ts';
import { aPost, aReply, anOrigin } from '../support/store/records.ts';
import { addPost, importEntries, lookUp, recentDuplicate } from '../support/store/writes.ts';

type Entry = ExportedRecord | ModerationEntry;

const dayOf = (day: number): string => `2020-01-0${day}T00:00:00.000000Z`;

const entryOf = (post: ReturnType<typeof aPost>, day: number): ExportedRecord => ({
  kind: 'post',
  record: { ...post, createdAt: dayOf(day) },
});

const moderation = (action: ModerationEntry['action'], id: string, day: number): ModerationEntry => ({
  action,
  id,
  at: dayOf(day),
  reason: 'x',
});

/** Entries may arrive in any order; the state that they make is one. */
export function testArrival(open: OpenStore): void {
  /** @returns stores that took the entries one by one and at once, and these opened again */
  async function storesWith(t: TestContext, entries: readonly Entry[]): Promise<Store[]> {
    const locations = [new StoreLocation(t, open), new StoreLocation(t, open)] as const;
    const [single, together] = [await locations[0].open(), await locations[1].open()];
    for (const entry of entries) assert.deepEqual(await importEntries(single, [entry]), ['stored']);
    await importEntries(together, entries);
    return [single, together, await locations[0].open(), await locations[1].open()];
  }

  test('a hide or unhide that is imported before its record decides by its timestamp, as one after it does', async (t) => {
    const [hidden, shown] = [aPost('hidden'), aPost('shown')];
    const stores = await storesWith(t, [
      moderation('hide', hidden.id, 5),
      moderation('hide', shown.id, 3),
      moderation('unhide', shown.id, 5),
      entryOf(hidden, 1),
      entryOf(shown, 2),
      moderation('unhide', hidden.id, 4),
      moderation('hide', shown.id, 4),
    ]);
    for (const store of stores) {
      assert.deepEqual(await textsOf(store), ['shown']);
      const { posts, threads } = await store.read.totals();
      assert.deepEqual([posts, threads], [1, 1]);
      const state = await lookUp(store, { type: 'record', id: hidden.id });
      assert.deepEqual(
        state?.status === 'hidden' && { moderatedAt: state.moderatedAt, children: state.children },
        { moderatedAt: dayOf(5), children: 0 },
      );
    }
    await importEntries(stores[0]!, [moderation('unhide', hidden.id, 5)]);
    assert.deepEqual(await textsOf(stores[0]!), ['hidden', 'shown']);
  });

  test('replies and answers that are imported before their post count for it, unless they are hidden', async (t) => {
    const idea = aPost('IDEA: x', { mark: 'aaaaaaaaaaaa' });
    const result = aReply(idea.id, 'RESULT: x', { mark: 'bbbbbbbbbbbb' });
    const [reply, gone] = [aReply(idea.id, 'WORK: reply'), aReply(idea.id, 'gone')];
    const review = aReply(idea.id, `REVIEW: x\nChecked: ${result.id}\nOutcome: confirmed\nEvidence: x`, {
      mark: 'aaaaaaaaaaaa',
    });
    const stores = await storesWith(t, [
      entryOf(reply, 3),
      entryOf(gone, 4),
      entryOf(review, 5),
      moderation('hide', gone.id, 6),
      entryOf(idea, 1),
      entryOf(result, 2),
    ]);
    const waitingOf = async ({ read }: Store): Promise<number[]> => {
      const { working, toReview } = listWork(boardOf(await read.steps()), Date.parse(dayOf(3)));
      return [working.length, toReview.length];
    };
    for (const store of stores) {
      assert.equal((await store.read.find('post', idea.id))?.children, 3);
      const replies = await store.read.page('post', { within: idea.id, order: 'newest', limit: 9 });
      assert.deepEqual(
        replies.map(({ record }) => record.id),
        [review.id, reply.id, result.id],
      );
      assert.deepEqual(await waitingOf(store), [1, 0]);
    }
    for (const store of stores.slice(0, 2)) {
      await importEntries(store, [moderation('hide', reply.id, 7), moderation('erase', review.id, 8)]);
      assert.deepEqual(await waitingOf(store), [0, 1]);
      assert.equal((await store.read.find('post', idea.id))?.children, 1);
    }
  });

  test('of equal contents the one with the latest time is the duplicate, also after the clock went back', async (t) => {
    const { location, store } = await openFirst(t, open);
    const origin = anOrigin('v', { content: 'same' });
    await addPost(store, 'early', origin);
    location.clock.advance(5000);
    const { record } = await addPost(store, 'latest', origin);
    location.clock.advance(-3000);
    await addPost(store, 'after the clock went back', origin);
    for (const reader of [store, await location.open()])
      assert.equal(await recentDuplicate(reader, 'post', origin, 60_000), record.id);
  });
}
