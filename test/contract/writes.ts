import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFailure, type Store } from '#store/port/store.ts';
import { openFirst, StoreLocation, textsOf, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply, anOrigin, newId } from '../support/store/records.ts';
import {
  addPost,
  addPosts,
  addRecord,
  erase,
  hide,
  importEntries,
  lookUp,
  lookupsOf,
  unhide,
} from '../support/store/writes.ts';

const HOUR_MS = 3_600_000;

/** @returns the status and child count of a record as a write sees them */
async function stateOf(store: Store, id: string): Promise<string | undefined> {
  const state = await lookUp(store, { type: 'record', id });
  return state && ('children' in state ? `${state.status} ${state.children}` : state.status);
}

export function testWrites(open: OpenStore): void {
  test('a write whose decision throws stores nothing and rejects with the same error', async (t) => {
    const { location, store } = await openFirst(t, open);
    await addPost(store, 'before');
    const failure = new Error('no');
    const rejected = store.write({}, () => {
      throw failure;
    });
    const beside = addPost(store, 'beside');
    await assert.rejects(rejected, (error) => error === failure);
    await beside;
    for (const reader of [store, await location.open()])
      assert.deepEqual(await textsOf(reader), ['before', 'beside']);
  });

  test('a write that names a record which it did not look up is rejected, and stores nothing', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const { record } = await addPost(store, 'top');
    const reply = { ...aReply(record.id, 'reply'), createdAt: record.createdAt };
    const writes = [
      store.write({}, ({ timestamp: at }) => ({
        result: null,
        operation: { action: 'hide', id: record.id, at, reason: 'x' },
      })),
      store.write({ added: { type: 'record', id: reply.id } }, () => ({
        result: null,
        operation: { action: 'add', kind: 'post', record: reply },
      })),
    ];
    for (const write of writes) await assert.rejects(write, /looked up/);
    assert.deepEqual(await textsOf(store), ['top']);
  });

  test('a write sees the accepted writes before it in its batch', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const top = aPost('top');
    const [reply, second] = [aReply(top.id, 'reply'), aReply(top.id, 'second')];
    const seen = [
      addPosts(store, [top, reply]).then(() => undefined),
      stateOf(store, top.id),
      hide(store, reply.id),
      stateOf(store, reply.id),
      stateOf(store, top.id),
      unhide(store, reply.id),
      unhide(store, reply.id),
      stateOf(store, top.id),
      addPosts(store, [second]).then(() => undefined),
      stateOf(store, top.id),
      erase(store, reply.id),
      hide(store, reply.id),
      stateOf(store, reply.id),
      stateOf(store, top.id),
    ];
    assert.deepEqual(await Promise.all(seen), [
      undefined,
      'visible 1',
      true,
      'hidden 0',
      'visible 0',
      true,
      false,
      'visible 1',
      undefined,
      'visible 2',
      true,
      false,
      'erased',
      'visible 1',
    ]);
    assert.equal((await store.read.find('post', top.id))?.children, 1);
    assert.deepEqual(await textsOf(store), ['top', 'second']);
  });

  test('an idempotency key of the same batch is hit, with the record as the writes in between left it', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const project = { id: newId('project'), title: 't', summary: 's', by: 'b', url: null, looking_for: null };
    const note = { id: newId('note'), projectId: project.id, name: 'n', note: 'x' };
    const origin = anOrigin('v', { limitScope: 'porch', key: 'key-00001' });
    const hit = async (content = origin.content): Promise<unknown> => {
      const found = await lookUp(store, {
        type: 'idempotentHit',
        kind: 'note',
        origin: { ...origin, content },
        windowMs: HOUR_MS,
      });
      return found && [found.id === note.id, found.sameContent, found.stored?.record.note];
    };
    await addRecord(store, 'project', project);
    const inOneBatch = [
      hit(),
      addRecord(store, 'note', note, origin),
      hit(),
      hit('other content'),
      hide(store, project.id),
      hit(),
      unhide(store, project.id),
      hit(),
      hide(store, note.id),
      hit(),
    ];
    const seen = (await Promise.all(inOneBatch)).filter((one) => Array.isArray(one) || one === undefined);
    const expected = [
      undefined,
      [true, true, 'x'],
      [true, false, 'x'],
      [true, true, undefined],
      [true, true, 'x'],
      [true, true, undefined],
    ];
    assert.deepEqual(seen, expected);
    const steps: [() => Promise<unknown>, unknown][] = [
      [() => unhide(store, note.id), 'x'],
      [() => hide(store, project.id), undefined],
      [() => unhide(store, project.id), 'x'],
      [() => erase(store, note.id), undefined],
    ];
    for (const [step, text] of steps) {
      const [, together] = await Promise.all([step(), hit()]);
      assert.deepEqual(
        [together, await hit()],
        [
          [true, true, text],
          [true, true, text],
        ],
      );
    }
  });

  test('laterPosts finds the newest visible posts behind a time, also of the same batch', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const posts = ['a', 'b', 'c'].map((message) => aPost(message));
    const nameOf = (id: string): string => 'abc'[posts.findIndex((post) => post.id === id)] ?? '';
    const later = async (at: string, limit: number) =>
      (await lookUp(store, { type: 'laterPosts', after: at, limit })).map(({ id }) => nameOf(id));
    const add = async (post: (typeof posts)[number]) =>
      (await addRecord(store, 'post', post)).record.createdAt;
    const [none, first, one, , two] = await Promise.all([
      later('', 9),
      add(posts[0]!),
      later('', 9),
      add(posts[1]!),
      later('', 9),
    ]);
    assert.deepEqual([none, one, two], [[], ['a'], ['b', 'a']]);
    await add(posts[2]!);
    assert.deepEqual(await later(first, 9), ['c', 'b']);
    assert.deepEqual(await later('', 2), ['c', 'b']);
    const inOneBatch = [later(first, 9), later('', 2), later('9', 9), later('', 9)];
    assert.deepEqual(await Promise.all(inOneBatch), [['c', 'b'], ['c', 'b'], [], ['c', 'b', 'a']]);
    await hide(store, posts[1]!.id);
    assert.deepEqual(await later('', 9), ['c', 'a']);
    await erase(store, posts[1]!.id);
    assert.deepEqual(await later('', 9), ['c', 'a']);
  });

  test('laterPosts has what each post takes and judges, its mark, and the prefixes of what it names', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const { record: idea } = await addPost(store, 'IDEA: x');
    const result = { ...aReply(idea.id, 'RESULT: y'), prefix: 'RESULT', mark: 'AB12CD34EF56' };
    const plain = { ...aReply(idea.id, 'a word'), mark: 'AB12CD34EF56' };
    const work = {
      ...aReply(idea.id, `WORK: z\nStep I am taking: ${result.id} ${plain.id} ${newId('post')}`),
      prefix: 'WORK',
      name: 'Ann',
      mark: 'ab12cd34ef56',
    };
    const review = {
      ...aReply(idea.id, `REVIEW: not ${work.id}\nResult being checked: ${result.id}\nOutcome: confirmed`),
      prefix: 'REVIEW',
    };
    const look = () => lookUp(store, { type: 'laterPosts', after: idea.createdAt, limit: 9 });
    const added = [result, plain, work, review].map((post) => addRecord(store, 'post', post));
    const inBatch = look();
    await Promise.all(added);
    for (const [isStored, found] of [
      [true, await look()],
      [false, await inBatch],
    ] as const) {
      const [ofReview, ofWork, ofPlain, ofResult] = found;
      assert.deepEqual(
        found.map(({ prefix, parentId, rootId, mark }) => [prefix, parentId, rootId, mark]),
        [
          ['REVIEW', idea.id, idea.id, null],
          ['WORK', idea.id, idea.id, 'ab12cd34ef56'],
          [null, idea.id, idea.id, 'ab12cd34ef56'],
          ['RESULT', idea.id, idea.id, 'ab12cd34ef56'],
        ],
      );
      assert.ok(!JSON.stringify(found).includes('not post_'), 'it has no text');
      assert.deepEqual([ofWork?.facts?.name, ofWork?.facts?.takes.length], ['Ann', 3]);
      assert.deepEqual(ofReview?.facts?.checked, [result.id]);
      assert.deepEqual(
        [ofPlain?.facts?.mark, ofPlain?.prefixes, ofResult?.prefixes],
        ['ab12cd34ef56', {}, {}],
      );
      if (!isStored) continue;
      assert.deepEqual(ofWork?.prefixes, { [result.id]: 'RESULT' });
      assert.deepEqual(ofReview?.prefixes, { [idea.id]: 'IDEA', [result.id]: 'RESULT', [work.id]: 'WORK' });
    }
    await hide(store, result.id);
    const [hidden] = await look();
    assert.deepEqual(hidden?.prefixes, { [idea.id]: 'IDEA', [work.id]: 'WORK' });
  });

  test('no write adds a record whose id exists or was erased, stored or in the same batch', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const [stored, erased, fresh] = [aPost('stored'), aPost('erased'), aPost('fresh')];
    await addPosts(store, [stored, erased]);
    await erase(store, erased.id);
    const add = (id: string) => addRecord(store, 'post', { ...aPost('again'), id });
    const isRefused = (error: unknown): boolean =>
      error instanceof StoreFailure && error.stored === 'nothing';
    const writes = [
      addPosts(store, [fresh]),
      ...[stored, erased, fresh].map(({ id }) => add(id)),
      addPost(store, 'last'),
    ];
    const settled = await Promise.allSettled(writes);
    assert.deepEqual(
      settled.map((result) => result.status === 'fulfilled' || isRefused(result.reason)),
      [true, true, true, true, true],
    );
    assert.deepEqual(
      settled.map(({ status }) => status === 'fulfilled'),
      [true, false, false, false, true],
    );
    assert.deepEqual(await textsOf(store), ['stored', 'fresh', 'last']);
    assert.equal((await store.read.totals()).posts, 3);
  });

  test('a read that starts while a write is decided returns nothing or the durable record', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const post = aPost('x');
    let duringWrite: Promise<unknown> | undefined;
    await store.write(lookupsOf(post), ({ timestamp }) => {
      duringWrite ??= store.read.find('post', post.id);
      return {
        result: null,
        operation: { action: 'add', kind: 'post', record: { ...post, createdAt: timestamp } },
      };
    });
    const seen = (await duringWrite) as { record: unknown } | undefined;
    const stored = await store.read.find('post', post.id);
    assert.ok(stored);
    if (seen !== undefined) assert.deepEqual(seen, stored);
  });

  test('a write that throws rejects only after the writes that it saw are durable', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const order: string[] = [];
    const post = aPost('x');
    const stored = addPosts(store, [post]);
    const refused = store.write({ earlier: { type: 'record', id: post.id } }, ({ earlier }) => {
      if (earlier !== undefined) throw new Error('already there');
      return { result: null };
    });
    await Promise.all([
      stored.then(() => order.push('stored')),
      assert
        .rejects(refused, /already there/)
        .then(() => store.read.find('post', post.id))
        .then((found) => order.push(found === undefined ? 'not durable' : 'rejected')),
    ]);
    assert.deepEqual(order, ['stored', 'rejected']);
  });

  test('close waits for queued writes, and later writes are rejected', async (t) => {
    const { location, store } = await openFirst(t, open);
    const writes = ['1', '2', '3'].map((text) => addPost(store, text));
    await store.close();
    assert.equal((await Promise.all(writes)).length, 3);
    await assert.rejects(addPost(store, 'late'), StoreFailure);
    await store.close();
    assert.deepEqual(await textsOf(await location.open()), ['1', '2', '3']);
  });

  test('of entries that are imported at once a repeated record is known, and another record of its timestamp is taken', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const record = { ...aPost('x'), createdAt: '2020-01-01T00:00:00.000000Z' };
    const entries = [record, record, { ...record, id: newId('post') }].map((one) => ({
      kind: 'post' as const,
      record: one,
    }));
    const outcomes = await importEntries(store, entries);
    assert.deepEqual(outcomes, ['stored', 'known', 'taken']);
  });
}
