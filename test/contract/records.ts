import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFirst, StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply, newId } from '../support/store/records.ts';
import { addPost, addPosts, addRecord, erase, hide, lookUp, unhide } from '../support/store/writes.ts';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

export function testRecords(open: OpenStore): void {
  test('an id that no record can have is not found by reads, hide, unhide and erase', async (t) => {
    const store = await new StoreLocation(t, open).open();
    for (const id of [
      '',
      'post_',
      'post_\0',
      '\0',
      'post_\uD800',
      `post_${'x'.repeat(200_000)}`,
      '__proto__',
      'post_%',
      "post_'; --",
    ]) {
      assert.equal(await store.read.find('post', id), undefined);
      const writes = [
        lookUp(store, { type: 'record', id }),
        hide(store, id),
        unhide(store, id),
        erase(store, id),
      ];
      assert.deepEqual(await Promise.all(writes), [undefined, false, false, false]);
    }
  });

  test('records of all kinds are read exactly as they were appended', async (t) => {
    const { location, store } = await openFirst(t, open);
    const text = ' a "quoted" \\ line\r\n\u2028 \u{1F3E1} e\u0301 {"at":0}#\n#';
    const given = {
      post: { ...aPost(text), name: ' "a" \\ \u{1F3E1}' },
      guest: { id: newId('guest'), name: 'Ada', kind: null, note: text },
      project: {
        id: newId('project'),
        title: 't',
        summary: text,
        by: 'b',
        url: 'https://example.org/',
        looking_for: null,
      },
    };
    const note = { id: newId('note'), projectId: given.project.id, name: 'n', note: text };
    const stored = {
      post: await addRecord(store, 'post', given.post),
      guest: await addRecord(store, 'guest', given.guest),
      project: await addRecord(store, 'project', given.project),
      note: await addRecord(store, 'note', note),
    };
    for (const reader of [store, await location.open()]) {
      for (const [kind, record] of Object.entries({ ...given, note }) as [
        keyof typeof stored,
        { id: string },
      ][]) {
        const found = await reader.read.find(kind, record.id);
        const { createdAt } = stored[kind].record;
        assert.match(createdAt, TIMESTAMP);
        const children = kind === 'project' ? 1 : 0;
        assert.deepEqual(found, { record: { ...record, createdAt }, children });
        assert.deepEqual(await reader.read.page(kind, { order: 'newest', limit: 9 }), [found]);
      }
    }
  });

  test('a record is found only by its kind and its exact id', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const { record } = await addPost(store, 'here');
    assert.equal((await store.read.find('post', record.id))?.record.message, 'here');
    const absent = [
      ['project', record.id],
      ['guest', record.id],
      ['note', record.id],
      ['post', newId('post')],
      ['post', ''],
      ['post', 'post_'],
      ['post', '_'],
      ['post', '__proto__'],
      ['post', 'constructor'],
      ['post', record.id.slice(0, -1)],
      ['post', ` ${record.id}`],
      ['post', `${record.id}\n`],
    ] as const;
    for (const [kind, id] of absent) {
      assert.equal(await store.read.find(kind, id), undefined, `${kind} ${id}`);
      const state = await lookUp(store, { type: 'record', id });
      assert.equal(
        state !== undefined && 'kind' in state && state.kind === kind,
        false,
        `${kind} ${id}, in a write`,
      );
    }
  });

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

  test('of a text that names twenty posts a post refers to the first sixteen, and never to itself', async (t) => {
    const { location, store } = await openFirst(t, open);
    const targets = Array.from({ length: 20 }, () => aPost('target'));
    const names = targets.map(({ id }) => id).join(' ');
    const own = newId('post');
    const first = aPost(`${own} ${names}`, { id: own });
    const reply = aReply(targets[19]!.id, `${targets[0]!.id} ${names}`);
    await addPosts(store, [...targets, first, reply]);
    for (const reader of [store, await location.open()]) {
      const referrersOf = async (id: string): Promise<string[]> =>
        (await reader.read.referrersOf(id, 20)).map((referrer) => referrer.id);
      assert.deepEqual(await referrersOf(own), []);
      for (const [index, { id }] of targets.entries()) {
        const expected = [
          ...(index < 15 || index === 19 ? [reply.id] : []),
          ...(index < 16 ? [first.id] : []),
        ];
        assert.deepEqual(await referrersOf(id), expected, String(index));
      }
    }
  });

  test('steps are the same array until one goes', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const [idea] = await addPosts(store, [aPost('IDEA: x')]);
    const steps = await store.read.steps();
    await addPosts(store, [aPost('plain')]);
    assert.equal(await store.read.steps(), steps);
    const [work] = await addPosts(store, [aPost('WORK: x')]);
    assert.equal(await store.read.steps(), steps);
    assert.deepEqual(
      steps.map(({ id }) => id),
      [idea!.record.id, work!.record.id],
    );
    await hide(store, idea!.record.id);
    const others = await store.read.steps();
    assert.notEqual(others, steps);
    assert.deepEqual(others, steps.slice(1));
    await unhide(store, idea!.record.id);
    assert.deepEqual(await store.read.steps(), steps);
  });
}
