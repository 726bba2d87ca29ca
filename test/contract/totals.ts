import assert from 'node:assert/strict';
import { test } from 'node:test';
import { justBefore } from '#workspace/text/time.ts';
import { StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply, newId } from '../support/store/records.ts';
import { addPosts, addRecord, hide } from '../support/store/writes.ts';

export function testTotals(open: OpenStore): void {
  test('every read of an empty store returns an empty result', async (t) => {
    const { read } = await new StoreLocation(t, open).open();
    const totals = await read.totals();
    assert.deepEqual(
      { ...totals, byPrefix: {} },
      { posts: 0, threads: 0, byPrefix: {}, guests: 0, projects: 0 },
    );
    assert.ok(Object.values(totals.byPrefix).every((count) => count === 0));
    assert.deepEqual(await read.page('guest', { order: 'newest', limit: 5 }), []);
    assert.deepEqual(await read.steps(), []);
    assert.deepEqual(await read.recentWriteAges('a client', 'feed', 1000, 5), []);
  });

  test('timestampsAround finds the nearest times of records, hidden ones too, and of moderations', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const around = async (at: string) => Object.values(await store.read.timestampsAround(at));
    const [early, late] = ['2000-01-01T00:00:00.000000Z', '9999-12-31T23:59:59.999999Z'];
    assert.deepEqual(await around(early), [null, null]);
    const [post, hidden] = await addPosts(store, [aPost('one'), aPost('two')]);
    const note = await addRecord(store, 'guest', { id: newId('guest'), name: 'n', kind: null, note: 'x' });
    await hide(store, hidden!.record.id);
    const { at } = (await store.read.moderations(1))[0]!;
    const times = [...[post!, hidden!, note].map(({ record }) => record.createdAt), at].sort();
    for (const [index, time] of times.entries()) {
      assert.deepEqual(await around(time), [time, time]);
      const [before, earlier = null] = [justBefore(time), times[index - 1]];
      assert.deepEqual(await around(before), [earlier, before === earlier ? earlier : time]);
    }
    assert.deepEqual(await around(early), [null, times[0]]);
    assert.deepEqual(await around(late), [times.at(-1), null]);
    await hide(store, post!.record.id);
    const newest = (await store.read.moderations(1))[0]!.at;
    assert.equal((await around(newest))[0], newest);
    assert.equal((await around(at))[0], at);
  });

  test('totals counts posts, threads, prefixes, guest notes and projects', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const idea = aPost('IDEA: x');
    const project = { id: newId('project'), title: 't', summary: 's', by: 'b', url: null, looking_for: null };
    await Promise.all([
      addPosts(store, [idea, aPost('IDEA: y'), aPost('plain'), aReply(idea.id, 'WORK: on x')]),
      addRecord(store, 'guest', { id: newId('guest'), name: 'n', kind: 'k', note: 'x' }),
      addRecord(store, 'project', project),
      addRecord(store, 'note', { id: newId('note'), projectId: project.id, name: 'n', note: 'x' }),
    ]);
    const { byPrefix, ...rest } = await store.read.totals();
    assert.deepEqual(rest, { posts: 4, threads: 3, guests: 1, projects: 1 });
    assert.deepEqual(Object.fromEntries(Object.entries(byPrefix).filter(([, count]) => count > 0)), {
      IDEA: 2,
      WORK: 1,
      none: 1,
    });
  });
}
