import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStepFacts, toHeld, type Step } from '#message/step.ts';
import { HOLD_PREFIX, type ModerationEntry, type Post } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { aPost, aReply } from '../support/store/records.ts';
import { historyOf, openFirst, StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { addPosts, erase, hide, importEntries, unhide } from '../support/store/writes.ts';
import { SeededRandom } from '../torture/support/random.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

type NewPost = Omit<Post, 'createdAt'>;

const HELD = `${HOLD_PREFIX} 2026-11-22T10:49Z: a test`;

/** The steps as they follow from every post, and from the last moderation of each. */
async function stepsByHand(store: Store): Promise<Step[]> {
  const posts: Post[] = [];
  const holds = new Map<string, boolean>();
  const marks = new Map<string, string | undefined>();
  for await (const entry of store.read.history())
    if ('record' in entry) posts.push(...(entry.kind === 'post' ? [entry.record as Post] : []));
    else if (entry.action === 'hide') holds.set(entry.id, entry.reason.startsWith(HOLD_PREFIX));
    else if (entry.action === 'unhide') holds.delete(entry.id);
    else if (entry.mark !== undefined) marks.set(entry.id, entry.mark);
  posts.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  for (const { id, mark } of posts) marks.set(id, mark);
  const steps = posts.flatMap((post): Step[] => {
    const { id, prefix, parentId, rootId, createdAt } = post;
    const facts = parseStepFacts(post);
    if (facts === null || holds.get(id) === false) return [];
    const opener = marks.get(rootId)?.toLowerCase();
    const step = {
      id,
      prefix,
      parentId,
      rootId,
      createdAt,
      ...facts,
      ...(opener !== undefined && { opener }),
    };
    return [holds.has(id) ? toHeld(step) : step];
  });
  return steps;
}

export function testSteps(open: OpenStore): void {
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

  test('a step has the messages of other threads that its key wrote, held too, as the log and the history have them', async (t) => {
    const { location, store } = await openFirst(t, open);
    const top = aPost('IDEA: x', { mark: '0123456789ab' });
    const message = `here\nSame key as: ${top.id}`;
    const signed = aPost(message, { mark: '0123456789ac', sameKeyAs: [top.id] });
    const result = aPost(`RESULT: ${message}`, { mark: '0123456789AD', sameKeyAs: [top.id] });
    await addPosts(store, [top, signed, result]);
    const proven = async (reader: Store): Promise<unknown[]> =>
      (await reader.read.steps()).map(({ sameKeyAs }) => sameKeyAs);
    for (const reader of [store, await location.open()])
      assert.deepEqual(await proven(reader), [undefined, [top.id], [top.id]]);
    for (const { id } of [signed, result]) await hide(store, id, HELD);
    for (const reader of [store, await location.open()])
      assert.deepEqual(await proven(reader), [undefined, [top.id], [top.id]]);
    await unhide(store, signed.id);
    const copy = await new StoreLocation(t, open).open();
    await importEntries(copy, await historyOf(store));
    assert.deepEqual(await copy.read.steps(), await store.read.steps());
    const shown = (await copy.read.find('post', signed.id))?.record;
    assert.deepEqual([shown?.sameKeyAs, shown?.message], [[top.id], message]);
    const { lines } = (await store.read.log(null, 9))!;
    assert.deepEqual(
      lines.flatMap(({ added }) => (added?.record as Post | undefined)?.sameKeyAs ?? []),
      [top.id, top.id],
    );
    await erase(store, signed.id);
    assert.deepEqual(await proven(store), [undefined, [top.id]]);
  });

  test('a step has the mark of the first message of its thread, also when that is held, hidden or erased', async (t) => {
    const { location, store } = await openFirst(t, open);
    const other = await location.open();
    const top = aPost('hello', { mark: '0123456789AB' });
    const work = aReply(top.id, 'WORK: x');
    const reply = aReply(top.id, 'plain', { mark: '0123456789AC' });
    await addPosts(store, [top, work, aPost('WORK: y'), reply]);
    const openers = async (reader: Store): Promise<unknown[]> =>
      (await reader.read.steps()).map(({ opener }) => opener);
    const own = '0123456789ab';
    const expect = async (expected: readonly (string | undefined)[]): Promise<void> => {
      for (const reader of [store, other, await location.open()])
        assert.deepEqual(await openers(reader), expected);
    };
    await expect([own, own, undefined, own]);
    await hide(store, top.id, HELD);
    await expect([own, own, undefined, own]);
    await hide(store, top.id);
    await expect([own, undefined, own]);
    for (const id of [top.id, reply.id, top.id]) await erase(store, id);
    await expect([own, undefined]);
    const erases = (await historyOf(store)).slice(-3);
    assert.deepEqual(
      erases.map((entry) => 'action' in entry && [entry.id, entry.mark]),
      [
        [top.id, '0123456789ab'],
        [reply.id, undefined],
        [top.id, undefined],
      ],
    );
    const { lines } = (await store.read.log(null, 9))!;
    assert.deepEqual(
      lines.slice(-3).map(({ moderation }) => moderation),
      erases,
    );
    const copy = await new StoreLocation(t, open).open();
    await importEntries(copy, await historyOf(store));
    assert.deepEqual(await copy.read.steps(), await store.read.steps());
  });

  test('a step has the mark of a first message that arrives after it, and hidden', async (t) => {
    const { location, store } = await openFirst(t, open);
    const top = aPost('x', { mark: '0123456789ab' });
    await importEntries(store, [
      { action: 'hide', id: top.id, at: '2020-01-01T00:00:00.000001Z', reason: 'x' },
    ]);
    await addPosts(store, [aReply(top.id, 'WORK: x')]);
    await store.read.steps();
    const createdAt = '2020-01-01T00:00:00.000002Z';
    await importEntries(store, [{ kind: 'post', record: { ...top, createdAt } }]);
    for (const { read } of [store, await location.open()])
      assert.deepEqual(
        (await read.steps()).map(({ opener }) => opener),
        ['0123456789ab'],
      );
  });

  test('an erase that arrives before or with its record keeps the mark', async (t) => {
    const { location, store } = await openFirst(t, open);
    const [early, late] = [aPost('x', { mark: '0123456789AB' }), aPost('y', { mark: '0123456789ac' })];
    const at = '2020-01-01T00:00:00.000001Z';
    const erased = { action: 'erase', reason: 'x' } as const;
    const replies = [early, late].map(({ id }) => aReply(id, 'WORK: x'));
    await Promise.all([
      importEntries(store, [
        { ...erased, id: early.id, at, mark: '0123456789AB' },
        { kind: 'post', record: { ...late, createdAt: at } },
        { ...erased, id: late.id, at },
      ]),
      addPosts(store, replies),
    ]);
    for (const { read } of [store, await location.open()])
      assert.deepEqual(
        (await read.steps()).map(({ opener }) => opener),
        ['0123456789ab', '0123456789ac'],
      );
  });

  test('the mark of an imported erase counts only if the post never arrived, and of two the first', async (t) => {
    const { location, store } = await openFirst(t, open);
    const [unknown, own, bare] = [aPost('x'), aPost('y', { mark: '0123456789ac' }), aPost('z')];
    const others = (mark: string, day: number): ModerationEntry[] =>
      [unknown, own, bare].map(({ id }, n) => ({
        action: 'erase',
        id,
        at: `2020-01-0${day}T00:00:0${n}.000000Z`,
        reason: 'x',
        mark,
      }));
    await addPosts(store, [own, bare]);
    await erase(store, own.id);
    for (const [index, mark] of ['zzzzzzzzzzzz', '000000000000'].entries())
      await importEntries(store, others(mark, 2 - index));
    await addPosts(
      store,
      [unknown, own, bare].map(({ id }) => aReply(id, 'WORK: x')),
    );
    for (const { read } of [store, await location.open()])
      assert.deepEqual(
        (await read.steps()).map(({ opener }) => opener),
        ['zzzzzzzzzzzz', '0123456789ac', undefined],
      );
  });

  for (const seed of [1, 2, 9]) {
    test(`after random posts, imports and moderations of seed ${seed} steps are those of the visible and held posts`, async (t) => {
      const location = new StoreLocation(t, open);
      const stores = [await location.open(), await location.open()];
      const random = new SeededRandom(seed);
      const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
      const known: NewPost[] = [];
      const randomPosts = (): NewPost[] =>
        Array.from({ length: 1 + random.below(6) }, () => {
          const label = pick(['Checked', 'Ends']);
          const named = known.length > 0 && random.below(2) === 0 ? `\n${label}: ${pick(known).id}` : '';
          const message = `${pick(['IDEA: ', 'WORK: ', 'RESULT: ', 'REVIEW: ', 'CHANGE: ', ''])}x${named}`;
          const parent = known.length > 0 && random.below(2) > 0 ? pick(known) : undefined;
          const name = pick(['Ann', 'ann ', 'Bob', undefined]);
          const mark = pick(['0123456789AB', '0123456789ab', '0123456789AC', undefined]);
          const given = { ...(name !== undefined && { name }), ...(mark !== undefined && { mark }) };
          const post =
            parent === undefined
              ? aPost(message, given)
              : aReply(parent.id, message, { ...given, rootId: parent.rootId });
          known.push(post);
          return post;
        });
      const importOlder = (store: Store): Promise<unknown> =>
        importEntries(
          store,
          randomPosts().map((record, n) => {
            const at = new Date(location.clock.now() - random.below(40 * DAY_MS)).toISOString();
            return { kind: 'post' as const, record: { ...record, createdAt: at.replace('Z', `00${n}Z`) } };
          }),
        );
      const add = (store: Store): Promise<unknown> => addPosts(store, randomPosts());
      const steps: ((store: Store) => Promise<unknown>)[] = [
        add,
        add,
        add,
        importOlder,
        async (store) => (known.length > 0 ? hide(store, pick(known).id) : undefined),
        async (store) => (known.length > 0 ? hide(store, pick(known).id, HELD) : undefined),
        async (store) => (known.length > 0 ? unhide(store, pick(known).id) : undefined),
        async (store) =>
          known.length > 0 && random.below(4) === 0 ? erase(store, pick(known).id) : undefined,
      ];
      for (let step = 0; step < 80; step++) {
        await pick(steps)(pick(stores));
        if (step % 5 > 0) continue;
        for (const store of stores)
          assert.deepEqual(await store.read.steps(), await stepsByHand(store), `after step ${step}`);
      }
      const again = await location.open();
      assert.deepEqual(await again.read.steps(), await stepsByHand(again));
    });
  }

  test('posts and their number are those of the visible posts', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const [a, b, c] = await addPosts(store, [aPost('IDEA: a'), aPost('b'), aPost('c')]);
    const ids = [c!, a!, b!].map(({ record }) => record.id);
    await hide(store, b!.record.id);
    const asked = ['post_unknown', 'post_\0', 'guest_1', ...ids];
    assert.deepEqual(
      (await store.read.posts(asked)).map(({ record }) => record.message),
      ['c', 'IDEA: a'],
    );
    const { createdAt } = a!.record;
    assert.equal(await store.read.countPosts({}, 9), 2);
    assert.equal(await store.read.countPosts({}, 1), 1);
    assert.equal(await store.read.countPosts({ after: createdAt }, 9), 1);
    assert.equal(await store.read.countPosts({ after: createdAt, before: c!.record.createdAt }, 9), 0);
  });
}
