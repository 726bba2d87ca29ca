import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFirst, StoreLocation, textsOf, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply, anOrigin, newId } from '../support/store/records.ts';
import { addPost, addPosts, addRecord, erase, hide, idempotentHit, unhide } from '../support/store/writes.ts';

export function testModeration(open: OpenStore): void {
  test('hiding a post removes it from every read and keeps its visible replies', async (t) => {
    const { location, store } = await openFirst(t, open);
    const [top, middle, below] = [aPost('top'), aPost('x'), aPost('y')];
    Object.assign(middle, aReply(top.id, 'middle'));
    Object.assign(below, aReply(middle.id, 'below'));
    await addPosts(store, [top, middle, below]);
    const before = await store.read.totals();
    assert.equal(await hide(store, middle.id), true);
    for (const reader of [store, await location.open()]) {
      assert.deepEqual(await textsOf(reader), ['top', 'below']);
      assert.equal(await reader.read.find('post', middle.id), undefined);
      assert.equal((await reader.read.find('post', top.id))?.children, 0);
      assert.deepEqual(await reader.read.page('post', { within: top.id, order: 'newest', limit: 9 }), []);
      assert.equal((await reader.read.find('post', below.id))?.record.parentId, middle.id);
      const [left] = await reader.read.page('post', { within: middle.id, order: 'newest', limit: 9 });
      assert.equal(left?.record.message, 'below');
      assert.deepEqual(
        { ...(await reader.read.totals()), byPrefix: 0 },
        { ...before, posts: 2, byPrefix: 0 },
      );
    }
    assert.equal(await unhide(store, middle.id), true);
    assert.deepEqual(await textsOf(store), ['top', 'middle', 'below']);
    assert.equal((await store.read.find('post', middle.id))?.children, 1);
    assert.deepEqual(await store.read.totals(), before);
  });

  test('hiding a guest note, a project or a project note removes it from every read', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const project = { id: newId('project'), title: 't', summary: 's', by: 'b', url: null, looking_for: null };
    const note = { id: newId('note'), projectId: project.id, name: 'n', note: 'x' };
    const guest = { id: newId('guest'), name: 'n', kind: null, note: 'x' };
    await addRecord(store, 'project', project);
    await addRecord(store, 'note', note);
    await addRecord(store, 'guest', guest);
    await hide(store, note.id);
    assert.equal((await store.read.find('project', project.id))?.children, 0);
    await hide(store, project.id);
    await hide(store, guest.id);
    const { guests, projects } = await store.read.totals();
    assert.deepEqual([guests, projects], [0, 0]);
    assert.equal(await store.read.find('project', project.id), undefined);
    assert.equal(await store.read.find('guest', guest.id), undefined);
  });

  test('a hidden and an erased record still count against rate limits and match their idempotency keys', async (t) => {
    const { location, store } = await openFirst(t, open);
    for (const [n, moderate] of [hide, erase].entries()) {
      const origin = anOrigin(`v${n}`, { key: 'some-key' });
      const { id } = (await addPost(store, 'x', origin)).record;
      await moderate(store, id);
      for (const one of [store, await location.open()]) {
        assert.equal((await one.read.recentWriteAges(`v${n}`, 'feed', 1000, 9)).length, 1);
        assert.deepEqual(await idempotentHit(one, 'post', origin, 1000), { id, sameContent: true });
      }
    }
  });
}
