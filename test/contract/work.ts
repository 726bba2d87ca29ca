import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  WORK_LISTS,
  type Post,
  type Store,
  type WorkItem,
  type WorkList,
  type WorkRange,
} from '#store/store.ts';
import { StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply } from '../support/store/records.ts';
import { workByHand } from '../support/store/work-by-hand.ts';
import { addPosts, erase, hide, importEntries, unhide } from '../support/store/writes.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NEWEST = { order: 'newest', limit: 50, maxCandidates: 500 } as const;

type NewPost = Omit<Post, 'createdAt'>;

/** A generator of numbers below a bound that repeats itself from run to run (mulberry32). */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

/** @returns all items of a list, read page by page */
async function readList(
  store: Store,
  list: WorkList,
  now: number,
  range: Partial<WorkRange> = {},
): Promise<WorkItem[]> {
  const items: WorkItem[] = [];
  const given = { ...NEWEST, ...range };
  const bound = given.order === 'newest' ? 'before' : 'after';
  for (let cursor = given[bound]; ; ) {
    const page = await store.read.work(list, { ...given, [bound]: cursor }, now);
    items.push(...page.items);
    if (page.examinedTo === null) return items;
    cursor = page.examinedTo;
  }
}

async function idsOn(store: Store, list: WorkList, now: number): Promise<string[]> {
  return (await readList(store, list, now)).map(({ record }) => record.id);
}

async function underWayOn(store: Store, id: string, now: number): Promise<string[] | undefined> {
  const [standing] = await store.read.standings([id], now);
  return standing?.underWay.map((work) => work.id);
}

/** Compares everything that the store answers of work with what `workByHand` finds. */
async function assertWork(store: Store, now: number, message: string): Promise<void> {
  const { lists, dueAt, underWay } = await workByHand(store, now);
  for (const list of WORK_LISTS) {
    const items = await readList(store, list, now, { limit: 3 });
    assert.deepEqual(
      items.map(({ record }) => record.id),
      lists[list],
      `${list} ${message}`,
    );
    const oldest = await readList(store, list, now, { order: 'oldest' });
    assert.deepEqual(
      oldest.map(({ record }) => record.id),
      lists[list].toReversed(),
      `oldest ${list} ${message}`,
    );
    for (const { record, due } of items)
      assert.equal(due?.at, record.prefix === 'WORK' ? dueAt[record.id] : undefined, `due ${message}`);
  }
  const { counts, changesAt } = await store.read.workCounts(now);
  for (const list of WORK_LISTS) assert.equal(counts[list], lists[list].length, `${list} counted ${message}`);
  const next = Object.values(dueAt)
    .flatMap((due) => [due, due + 14 * DAY_MS + 1])
    .filter((time) => time > now);
  assert.equal(changesAt, next.length === 0 ? null : Math.min(...next), `changesAt ${message}`);
  const ids = Object.keys(underWay);
  const standings = await store.read.standings(ids, now);
  assert.deepEqual(
    Object.fromEntries(standings.map((post) => [post.id, post.underWay.map(({ id }) => id)])),
    underWay,
    message,
  );
}

export function testWork(open: OpenStore): void {
  test('an IDEA is open until WORK takes it up, again once that is overdue, and not after a RESULT', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const now = location.clock.now();
    const idea = aPost('IDEA: x');
    const work = aReply(idea.id, 'WORK: x\nNext update by (UTC): 2026-11-21 12:00');
    await addPosts(store, [idea]);
    assert.deepEqual(await idsOn(store, 'ideas', now), [idea.id]);
    await addPosts(store, [work, aReply(idea.id, 'REVIEW: of an idea'), aReply(idea.id, 'plain')]);
    const due = Date.parse('2026-11-21T12:00:00.000Z');
    const steps: [time: number, ideas: string[], working: string[], overdue: string[]][] = [
      [now, [], [work.id], []],
      [due - 1, [], [work.id], []],
      [due, [idea.id], [], [work.id]],
      [due + 14 * DAY_MS, [idea.id], [], [work.id]],
      [due + 14 * DAY_MS + 1, [idea.id], [], []],
      // A clock that is set back.
      [due, [idea.id], [], [work.id]],
      [now, [], [work.id], []],
    ];
    for (const reader of [store, await location.open()]) {
      for (const [time, ideas, working, overdue] of steps) {
        assert.deepEqual(await idsOn(reader, 'ideas', time), ideas);
        assert.deepEqual(await idsOn(reader, 'working', time), working);
        assert.deepEqual(await idsOn(reader, 'overdue', time), overdue);
      }
    }
    const result = aReply(idea.id, 'RESULT: of the idea');
    await addPosts(store, [result]);
    assert.deepEqual(await idsOn(store, 'ideas', due), []);
    assert.deepEqual(await idsOn(store, 'unreviewed', due), [result.id]);
    // It does not take up the WORK, and neither has a name.
    assert.deepEqual(await idsOn(store, 'overdue', due), [work.id]);
    await hide(store, result.id);
    assert.deepEqual(await idsOn(store, 'ideas', due), [idea.id]);
    assert.deepEqual(await idsOn(store, 'unreviewed', due), []);
  });

  test('an imported IDEA is open although the WORK that takes it up was due before 1970', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const idea = { ...aPost('IDEA: x'), createdAt: '1960-01-01T00:00:00.000000Z' };
    const work = { ...aReply(idea.id, 'WORK: x'), createdAt: '1960-01-02T00:00:00.000000Z' };
    await importEntries(store, [
      { kind: 'post', record: idea },
      { kind: 'post', record: work },
    ]);
    await assertWork(store, location.clock.now(), 'of 1960');
  });

  test('what ends or extends a WORK counts while it is visible, from whichever process', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const now = location.clock.now();
    const root = aPost('IDEA: x');
    const under = (message: string, given: Partial<Post> = {}): NewPost =>
      aReply(root.id, message, { rootId: root.id, ...given });
    const work = under('WORK: x', { name: 'Agent Seven' });
    const ended = under('RESULT: x', { name: 'ａｇｅｎｔ SEVEN' });
    const extended = under(`RESULT: half of ${work.id}\nNext update by (UTC): 2026-11-25`);
    const next = under(`WORK: next, after ${work.id}`, { name: 'agentseven' });
    await addPosts(store, [root, work]);
    const dueOf = async (reader: Store): Promise<number | undefined> =>
      (await readList(reader, 'working', now)).find(({ record }) => record.id === work.id)?.due?.at;
    const own = now + DAY_MS;
    const later = Date.parse('2026-11-26T00:00:00.000Z');
    const steps: [step: () => Promise<unknown>, due: number | undefined][] = [
      [async () => undefined, own],
      [() => addPosts(store, [under('RESULT: of another', { name: 'agent 8' })]), own],
      [() => addPosts(store, [under('REVIEW: x', { name: 'Agent Seven' }), under('plain')]), own],
      [() => addPosts(store, [under('WORK: y', { name: 'Agent Seven' })]), own],
      [() => addPosts(store, [extended]), later],
      [() => addPosts(store, [ended]), undefined],
      [() => hide(store, ended.id), later],
      [() => hide(store, extended.id), own],
      [() => unhide(store, extended.id), later],
      [() => unhide(store, ended.id), undefined],
      [() => erase(store, extended.id), undefined],
      [() => erase(store, ended.id), own],
      [() => addPosts(store, [next]), undefined],
      [() => hide(store, work.id), undefined],
      [() => hide(store, next.id), undefined],
      [() => unhide(store, work.id), own],
      [() => erase(store, work.id), undefined],
    ];
    for (const [index, [step, due]] of steps.entries()) {
      await step();
      for (const reader of [store, await location.open()])
        assert.equal(await dueOf(reader), due, `after step ${index}`);
      await assertWork(store, now, `after step ${index}`);
    }
  });

  test('standings name the newest six WORKs under way, and leave out posts that are not visible', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const now = location.clock.now();
    const result = aPost('RESULT: x');
    const works = Array.from({ length: 7 }, (_, n) =>
      aPost(`WORK: checking ${result.id}`, { name: `n${n}` }),
    );
    await addPosts(store, [result, ...works]);
    const [standing, ...others] = await store.read.standings(['post_unknown', 'post_\0', result.id], now);
    assert.deepEqual(others, []);
    assert.equal(standing?.prefix, 'RESULT');
    assert.deepEqual(
      standing.underWay.map(({ id, name, dueAt }) => [id, name, dueAt]),
      works
        .map(({ id, name }) => [id, name, now + DAY_MS])
        .toReversed()
        .slice(0, 6),
    );
    assert.deepEqual(await underWayOn(store, result.id, now + DAY_MS), []);
    await hide(store, works[6]!.id);
    assert.equal((await underWayOn(store, result.id, now))?.[0], works[5]!.id);
    await hide(store, result.id);
    assert.deepEqual(await store.read.standings([result.id], now), []);
  });

  test('a page of a list with words examines a bounded number of items and goes on after them', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const now = location.clock.now();
    const posts = Array.from({ length: 30 }, (_, n) =>
      aPost(`WORK: ${n % 10 === 0 ? 'rare' : 'usual'} ${n}`),
    );
    await addPosts(store, posts);
    const range = { ...NEWEST, words: ['rare'], maxCandidates: 10 };
    const { items, examinedTo } = await store.read.work('working', range, now);
    assert.deepEqual(
      items.map(({ record }) => record.id),
      [posts[20]!.id],
    );
    assert.notEqual(examinedTo, null);
    const all = await readList(store, 'working', now, range);
    assert.deepEqual(
      all.map(({ record }) => record.id),
      [posts[20]!.id, posts[10]!.id, posts[0]!.id],
    );
    assert.equal((await readList(store, 'ideas', now, range)).length, 0);
  });

  test('counts end at 1,000', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    await addPosts(
      store,
      Array.from({ length: 1001 }, () => aPost('IDEA: x')),
    );
    const { counts } = await store.read.workCounts(location.clock.now());
    assert.deepEqual(counts, { ideas: 1000, working: 0, overdue: 0, unreviewed: 0 });
  });

  for (const seed of [1, 2]) {
    test(`after random posts, imports and moderations of seed ${seed} the lists are those that the rules give`, async (t) => {
      const location = new StoreLocation(t, open);
      const store = await location.open();
      const random = randomFrom(seed);
      const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;
      const names = ['Ann', ' ann ', 'Bob', undefined];
      const prefixes = ['IDEA: ', 'WORK: ', 'WORK: ', 'WORK: ', 'RESULT: ', 'RESULT: ', 'REVIEW: ', ''];
      const known: NewPost[] = [];
      const randomPost = (): NewPost => {
        const due = pick([
          '',
          '',
          `\nNext update by (UTC): ${new Date(location.clock.now() + random(20 * DAY_MS)).toISOString()}`,
          '\nNext update by: never',
        ]);
        const named = known.length > 0 && random(2) === 0 ? ` ${pick(known).id}` : '';
        const name = pick(names);
        const given = name === undefined ? {} : { name };
        const message = `${pick(prefixes)}x${named}${due}`;
        const parent = known.length > 0 && random(4) > 0 ? pick(known) : undefined;
        return parent === undefined
          ? aPost(message, given)
          : aReply(parent.id, message, { ...given, rootId: parent.rootId });
      };
      const steps: (() => Promise<unknown>)[] = [
        async () => {
          const posts = Array.from({ length: 1 + random(6) }, () => {
            const post = randomPost();
            known.push(post);
            return post;
          });
          await addPosts(store, posts);
        },
        async () => {
          const posts = Array.from({ length: 1 + random(4) }, () => {
            const post = randomPost();
            known.push(post);
            return post;
          });
          // Newest first, so that each arrives before what it may take up.
          const entries = posts.toReversed().map((record, n) => ({
            kind: 'post' as const,
            record: {
              ...record,
              createdAt: new Date(location.clock.now() - random(40 * DAY_MS))
                .toISOString()
                .replace('Z', `00${n}Z`),
            },
          }));
          await importEntries(store, entries);
        },
        async () => (known.length > 0 ? hide(store, pick(known).id) : undefined),
        async () => (known.length > 0 ? unhide(store, pick(known).id) : undefined),
        async () => (known.length > 0 && random(4) === 0 ? erase(store, pick(known).id) : undefined),
        async () => {
          location.clock.advance(pick([MINUTE_MS, HOUR_MS, DAY_MS, 5 * DAY_MS]) * random(3));
        },
      ];
      for (let step = 0; step < 120; step++) {
        await pick([steps[0]!, steps[0]!, steps[0]!, ...steps])();
        if (step % 6 > 0) continue;
        const now = location.clock.now();
        await assertWork(store, now, `after step ${step}`);
        // A call of another process, whose clock is wrong.
        await assertWork(store, now - random(3 * DAY_MS), `at an earlier time after step ${step}`);
      }
      const again = await location.open();
      await assertWork(again, location.clock.now(), 'in a store that is opened later');
    });
  }
}
