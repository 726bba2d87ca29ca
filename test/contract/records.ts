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

  test('timestamps are unique and rise, even if the clock stands still or steps back', async (t) => {
    const location = new StoreLocation(t, open);
    const stores = [await location.open(), await location.open()];
    const timestamps: string[] = [];
    for (const step of [0, 0, 5000, -3000, 0, -86_400_000, 90_000_000]) {
      location.clock.advance(step);
      for (const store of stores) {
        const posts = await addPosts(store, [aPost('1'), aPost('2')]);
        timestamps.push(...posts.map(({ record }) => record.createdAt));
      }
    }
    assert.deepEqual(timestamps, [...new Set(timestamps)].sort());
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

  test('the child count of a post counts direct replies only', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const { record: top } = await addPost(store, 'top');
    const [first, second] = [aReply(top.id, 'first'), aReply(top.id, 'second')];
    const states = [top, first].map(({ id }) => lookUp(store, { type: 'record', id }));
    const added = addPosts(store, [first, second, aReply(first.id, 'below')]);
    const later = [top, first].map(({ id }) => lookUp(store, { type: 'record', id }));
    await added;
    const counts = (await Promise.all([...states, ...later])).map(
      (state) => state && 'children' in state && state.children,
    );
    assert.deepEqual(counts, [0, undefined, 2, 1]);
    assert.equal((await store.read.find('post', top.id))?.children, 2);
    assert.equal((await store.read.find('post', second.id))?.children, 0);
    const page = await store.read.page('post', { order: 'oldest', limit: 9 });
    assert.deepEqual(
      page.map(({ children }) => children),
      [2, 1, 0, 0],
    );
  });

  test('a lookup of several records has those that exist or were erased, also of its own batch', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const [result, hidden, erased] = await addPosts(store, [aPost('RESULT: x'), aPost('x'), aPost('y')]);
    await hide(store, hidden!.record.id);
    await erase(store, erased!.record.id);
    const idea = aPost('IDEA: z');
    const stored = [result, hidden, erased].map((one) => one!.record.id);
    const ids = [...stored, idea.id, 'post_0', 'post_\0'];
    const added = addPosts(store, [idea]);
    const found = await lookUp(store, { type: 'records', ids });
    await added;
    assert.deepEqual(
      Array.from(found, ([id, one]) => [id, one.status, 'prefix' in one ? one.prefix : undefined]),
      [
        [stored[0], 'visible', 'RESULT'],
        [stored[1], 'hidden', null],
        [stored[2], 'erased', undefined],
        [idea.id, 'visible', 'IDEA'],
      ],
    );
  });
}
