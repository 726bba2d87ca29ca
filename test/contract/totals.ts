import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerablePrefix, Range, Store } from '#store/store.ts';
import { StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply, newId } from '../support/store/records.ts';
import { addPosts, addRecord } from '../support/store/writes.ts';

async function unansweredTexts(
  store: Store,
  prefix: AnswerablePrefix,
  range: Partial<Range> = {},
): Promise<string[]> {
  const found = await store.read.unanswered(prefix, { order: 'newest', limit: 99, ...range });
  return found.map(({ record }) => record.message);
}

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
    assert.deepEqual(await read.unanswered('IDEA', { order: 'oldest', limit: 5 }), []);
    assert.deepEqual(await read.recentWriteAges('a client', 'feed', 1000, 5), []);
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

  test('unanswered lists an IDEA until a WORK and a RESULT until a REVIEW refers to it', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const [idea, other, result] = [aPost('IDEA: a'), aPost('IDEA: b'), aPost('RESULT: c')];
    await addPosts(store, [
      ...[idea, other, result],
      ...['REVIEW', 'RESULT', 'IDEA', 'CHANGE'].map((prefix) => aReply(idea.id, `${prefix}: no`)),
      ...['WORK', 'IDEA'].map((prefix) => aReply(result.id, `${prefix}: no`)),
      aReply(idea.id, 'no prefix'),
      aReply(idea.id, 'WORK: names nothing', { answers: [] }),
    ]);
    assert.deepEqual(await unansweredTexts(store, 'IDEA'), ['IDEA: no', 'IDEA: no', 'IDEA: b', 'IDEA: a']);
    assert.deepEqual(await unansweredTexts(store, 'RESULT'), ['RESULT: no', 'RESULT: c']);
    await addRecord(store, 'post', aPost('WORK: both', { answers: [idea.id, other.id, newId('post')] }));
    await addRecord(store, 'post', aReply(result.id, 'REVIEW: fine'));
    assert.deepEqual(await unansweredTexts(store, 'IDEA'), ['IDEA: no', 'IDEA: no']);
    assert.deepEqual(await unansweredTexts(store, 'IDEA', { limit: 1 }), ['IDEA: no']);
    assert.deepEqual(await unansweredTexts(store, 'RESULT'), ['RESULT: no']);
  });

  test('unanswered lists a range from either end, both bounds exclusive', async (t) => {
    const store = await new StoreLocation(t, open).open();
    await addPosts(
      store,
      ['a', 'b', 'c', 'd', 'e'].map((text) => aPost(`RESULT: ${text}`)),
    );
    await addRecord(store, 'post', aPost('IDEA: x'));
    const all = await store.read.unanswered('RESULT', { order: 'oldest', limit: 99 });
    const [first, , , , last] = all.map(({ record }) => record.createdAt);
    const texts = async (range: Partial<Range>): Promise<string> =>
      (await unansweredTexts(store, 'RESULT', range)).map((text) => text.at(-1)).join('');
    assert.equal(await texts({ order: 'oldest' }), 'abcde');
    assert.equal(await texts({ order: 'oldest', limit: 2 }), 'ab');
    assert.equal(await texts({ order: 'oldest', limit: 2, after: first }), 'bc');
    assert.equal(await texts({ order: 'newest', limit: 2, before: last }), 'dc');
    assert.equal(await texts({ order: 'newest', after: first, before: last }), 'dcb');
    assert.equal(await texts({ order: 'oldest', after: last }), '');
  });
}
