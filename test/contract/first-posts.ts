import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFirst, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply } from '../support/store/records.ts';
import { addPosts, erase, hide, importEntries, unhide } from '../support/store/writes.ts';

export function testFirstPosts(open: OpenStore): void {
  test('firstPosts returns the newest visible posts that begin a thread, with id and time alone', async (t) => {
    const { location, store } = await openFirst(t, open);
    assert.deepEqual(await store.read.firstPosts(9), []);
    const [a, b, c] = [aPost('a'), aPost('b'), aPost('c')];
    const posts = await addPosts(store, [a, b, aReply(a.id, 'reply'), c, aReply(c.id, 'reply')]);
    const old = { ...aPost('old'), createdAt: '2020-01-01T00:00:00.000000Z' };
    await importEntries(store, [{ kind: 'post', record: old }]);
    const timeOf = new Map(
      [...posts.map(({ record }) => record), old].map((post) => [post.id, post.createdAt]),
    );
    const steps: [() => Promise<unknown>, number, string[]][] = [
      [async () => undefined, 9, [c.id, b.id, a.id, old.id]],
      [async () => undefined, 2, [c.id, b.id]],
      [() => hide(store, c.id), 2, [b.id, a.id]],
      [() => erase(store, b.id), 9, [a.id, old.id]],
      [() => unhide(store, c.id), 9, [c.id, a.id, old.id]],
    ];
    for (const [index, [step, limit, expected]] of steps.entries()) {
      await step();
      for (const { read } of [store, await location.open()])
        assert.deepEqual(
          await read.firstPosts(limit),
          expected.map((id) => ({ id, createdAt: timeOf.get(id) })),
          `after step ${index}`,
        );
    }
  });
}
