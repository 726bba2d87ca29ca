import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toHeld, type Step } from '#message/step.ts';
import { HOLD_PREFIX } from '#store/port/records.ts';
import { BoardReader } from '#workspace/reading/board-reader.ts';
import { openTestWorkspace } from '../../../support/context.ts';
import { boardOf, compareBoards, listWork, toSteps } from '../../../support/derived-work.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { randomPosts, RANDOM_START } from '../../../support/random-work.ts';
import { aPost, aReply } from '../../../support/store/records.ts';
import { ENGINES } from '../../../support/store/engines.ts';
import { erase, hide, importEntries, unhide } from '../../../support/store/writes.ts';
import { SeededRandom } from '../../../torture/support/random.ts';

const MINUTE_MS = 60_000;
const HELD = `${HOLD_PREFIX} 2026-12-24T10:00Z: several networks reported it`;

for (const [engine, place] of Object.entries(ENGINES))
  describe(`the work on ${engine}`, () => {
    it('stays that of a new board while two servers hold, hide, show and erase messages, and keeps its other steps', async (t) => {
      const options = { folder: await temporaryFolder(t), empty: true, ...place() };
      const servers = [await openTestWorkspace(options), await openTestWorkspace(options)];
      for (const { store } of servers) t.after(() => store.close());
      const readers = servers.map(({ store }) => ({ store, work: new BoardReader(store) }));
      const random = new SeededRandom(7);
      const posts = randomPosts(7);
      const states = new Map<string, 'hidden' | 'erased'>();
      let before: readonly Step[] = [];
      const boards = new Set<unknown>();
      for (let count = 0; count < posts.length; ) {
        const more = posts.slice(count, count + 1 + random.below(9));
        const { store } = servers[random.below(2)]!;
        await importEntries(
          store,
          more.map((record) => ({ kind: 'post', record })),
        );
        count += more.length;
        const touched = new Set<string>();
        for (let n = 0; n < 2; n++) {
          const { id } = posts[random.below(count)]!;
          const state = states.get(id);
          touched.add(id);
          if (state === 'erased') continue;
          const roll = random.below(5);
          if (state === 'hidden') await unhide(store, id);
          else if (roll === 0) await erase(store, id);
          else await hide(store, id, roll < 3 ? HELD : 'a test');
          if (state === 'hidden') states.delete(id);
          else states.set(id, roll === 0 ? 'erased' : 'hidden');
        }
        const now = RANDOM_START + count * MINUTE_MS;
        for (const { store: its, work } of readers) {
          const { board } = await work.overview(now);
          boards.add(board);
          compareBoards(board, boardOf(await its.read.steps()), now);
        }
        const steps = await servers[0]!.store.read.steps();
        const kept = new Set(before);
        const same = new Set(before.map(({ id }) => id));
        for (const step of steps)
          if (!touched.has(step.id) && same.has(step.id)) assert.ok(kept.has(step), step.id);
        before = steps;
      }
      assert.equal(boards.size, readers.length);
    });

    it('is that of a new board after hundreds of hides at once, and once a first message is erased with its signer', async (t) => {
      const options = { folder: await temporaryFolder(t), empty: true, ...place() };
      const servers = [await openTestWorkspace(options), await openTestWorkspace(options)];
      for (const { store } of servers) t.after(() => store.close());
      const readers = servers.map(({ store }) => ({ store, work: new BoardReader(store) }));
      const [mark, missing] = ['1111111111aa', aPost('IDEA: never stored').id];
      const posts = Array.from({ length: 300 }, (_, n) => {
        const post = n % 3 === 0 ? aPost(`IDEA: ${n}`) : aReply(missing, `RESULT: ${n}`, { mark });
        const createdAt = new Date(RANDOM_START + n * MINUTE_MS).toISOString().replace('Z', '000Z');
        return { ...post, createdAt };
      });
      const now = RANDOM_START + 400 * MINUTE_MS;
      const { store } = servers[0]!;
      const at = new Date(now).toISOString().replace('Z', '000Z');
      await importEntries(
        store,
        posts.map((record) => ({ kind: 'post', record })),
      );
      for (const entries of [
        [],
        posts.slice(20, 270).map(({ id }) => ({ action: 'hide', id, at, reason: HELD }) as const),
        [{ action: 'erase', id: missing, at, reason: 'a test', mark } as const],
      ]) {
        await importEntries(store, entries);
        for (const { store: its, work } of readers) {
          const { board } = await work.overview(now);
          compareBoards(board, boardOf(await its.read.steps()), now);
        }
      }
      const openers = (await servers[1]!.store.read.steps()).flatMap(({ rootId, opener }) =>
        rootId === missing ? [opener] : [],
      );
      assert.deepEqual([...new Set(openers)], [mark]);
    });
  });

it('has the lists of the time that is asked for, also an earlier one, and of the steps that there are', async () => {
  const all = toSteps(randomPosts(3));
  let steps = all.slice(0, -9);
  const work = new BoardReader({ read: { steps: async () => steps } } as never);
  const check = async (hours: number): Promise<void> => {
    const now = RANDOM_START + 60 * hours * MINUTE_MS;
    assert.deepEqual((await work.overview(now)).lists, listWork(boardOf(steps), now), `${hours} hours`);
  };
  for (const hours of [3, 26, 25, 3, 24 * 20, 3]) await check(hours);
  steps.push(...all.slice(-9));
  await check(3);
  steps = steps.map((step, n) => (n % 2 === 0 ? step : toHeld(step)));
  await check(3);
});

it('has one writer while a board replaces its steps, and shows it only once it has all', async (t) => {
  let ticks = 0;
  // Each piece of work takes a slice.
  t.mock.method(performance, 'now', () => (ticks += 10));
  const all = toSteps(randomPosts(3));
  const now = RANDOM_START + 400 * MINUTE_MS;
  let steps = all.slice(0, 60);
  const work = new BoardReader({ read: { steps: async () => steps }, knownSteps: () => steps } as never);
  await work.board();
  steps = steps.filter((_, n) => n !== 30);
  let isRead = false;
  const reads = [work.board(), work.overview(now).then(({ board }) => board)];
  void Promise.all(reads).then(() => (isRead = true));
  let [pauses, isShown] = [0, false];
  for (let n = 60; !isRead; n++) {
    await nextTurn();
    const board = work.boardNow();
    if (board === undefined) pauses += 1;
    else if (!isShown) compareBoards(board, boardOf(steps), now);
    isShown = board !== undefined;
    if (n < all.length) steps.push(all[n]!);
  }
  assert.ok(pauses > 20, String(pauses));
  for (const board of await Promise.all(reads)) compareBoards(board, boardOf(steps), now);
});

it('makes a new board after a piece of the replacement has thrown', async () => {
  const all = toSteps(randomPosts(3));
  const now = RANDOM_START + 400 * MINUTE_MS;
  let steps = all.slice(0, 60);
  const work = new BoardReader({ read: { steps: async () => steps }, knownSteps: () => steps } as never);
  await work.board();
  const index = steps.findIndex(({ parentId, mark }) => parentId !== null && mark !== undefined);
  // It comes to the writers of its thread as the first message of its key, and cannot be linked.
  const broken = Object.defineProperty(
    { ...steps[index]!, id: 'post_broken', createdAt: '2000-01-01T00:00:00.000000Z' },
    'parentId',
    {
      get: () => {
        throw new Error('broken');
      },
    },
  );
  steps = steps.with(index, broken);
  await assert.rejects(work.board(), /broken/);
  steps = all.slice(0, 60);
  compareBoards(await work.board(), boardOf(steps), now);
});
