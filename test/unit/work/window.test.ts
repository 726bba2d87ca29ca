import assert from 'node:assert/strict';
import test, { it } from 'node:test';
import { countsAsStep, toHeld, windowOf, type Step } from '#message/step.ts';
import { Board } from '#work/board.ts';
import { findOwnSteps, distrustingThreads } from '#workspace/reading/own-steps.ts';
import { readYours } from '#workspace/start/yours.ts';
import { compareBoards, listWork, replaceSteps, toSteps, type State } from '../../support/derived-work.ts';
import { randomPosts, RANDOM_START } from '../../support/random-work.ts';
import { SeededRandom } from '../../torture/support/random.ts';
import { aPost, aReply } from '../../support/store/records.ts';
import { firstOf, thoroughTest } from '../../support/thorough.ts';

const MINUTE_MS = 60_000;
const WINDOW = { steps: 60, all: 90 };
const OF_THREAD = 20;
const SEEDS = Array.from({ length: 40 }, (_, n) => n + 1);

function boardOf(steps: readonly Step[]): Board {
  const board = new Board(WINDOW, OF_THREAD);
  for (const step of steps) board.add(step);
  return board;
}

const timeAt = (count: number): number => RANDOM_START + count * MINUTE_MS;
const stampAt = (count: number): string => new Date(timeAt(count)).toISOString().replace('Z', '000Z');

for (const seed of firstOf(SEEDS, 12))
  it(`a board that ran long equals one of its window, with the posts of seed ${seed}`, () => {
    const steps = toSteps(randomPosts(seed));
    const board = new Board(WINDOW, OF_THREAD);
    for (const [index, step] of steps.entries()) {
      board.add(step);
      if (index % 7 !== 0 && index < steps.length - 1) continue;
      const now = timeAt(index);
      const window = windowOf(steps.slice(0, index + 1), countsAsStep, WINDOW);
      compareBoards(board, boardOf(window), now);
    }
  });

for (const seed of firstOf(SEEDS, 12))
  it(`a board equals a new one after messages of seed ${seed} were held, hidden and shown again`, () => {
    const random = new SeededRandom(seed);
    const posts = randomPosts(seed);
    const states = new Map<string, State>();
    const known = new Map<string, Step>();
    const board = new Board(WINDOW, OF_THREAD);
    for (let count = 1; count <= posts.length; count += 1 + random.below(6)) {
      const { id } = posts[random.below(count)]!;
      const state = states.get(id);
      if (state !== undefined && random.below(2) === 0) states.delete(id);
      else if (state !== 'gone') states.set(id, random.below(2) === 0 ? 'held' : 'gone');
      // As a store does: what has not changed is the same object.
      const steps = toSteps(posts.slice(0, count), states).map((step) => {
        const before = known.get(step.id);
        if (before !== undefined && JSON.stringify(before) === JSON.stringify(step)) return before;
        known.set(step.id, step);
        return step;
      });
      const now = timeAt(count + random.below(3 * count));
      assert.ok(replaceSteps(board, steps));
      compareBoards(board, boardOf(windowOf(steps, countsAsStep, WINDOW)), now);
      if (random.below(3) > 0) listWork(board, now + MINUTE_MS);
    }
  });

it('a board that holds and hides messages is the one before until the last piece of the work', () => {
  const boardOfAll = (steps: readonly Step[]): Board => {
    const board = new Board(undefined, OF_THREAD);
    for (const step of steps) board.add(step);
    return board;
  };
  for (const seed of firstOf(SEEDS, 4)) {
    const random = new SeededRandom(seed);
    const posts = randomPosts(seed);
    const all = toSteps(posts);
    const before = boardOfAll(all);
    const states = new Map(posts.slice(-40).map(({ id }) => [id, random.below(9)]));
    const steps = all.flatMap((step) => {
      const state = states.get(step.id);
      return state === 0 ? [] : state === 1 ? toHeld(step) : step;
    });
    const board = boardOfAll(all);
    const now = timeAt(posts.length);
    const replacement = board.replace(steps);
    let pieces = 0;
    let piece = replacement.next();
    for (; piece.done !== true; piece = replacement.next())
      if (++pieces % 5 === 0) compareBoards(board, before, now);
    assert.ok(pieces >= OF_THREAD && piece.value === 'replaced');
    compareBoards(board, boardOfAll(steps), now);
  }
});

it('a key finds the same on a board that ran long and on one of its window', async () => {
  const read = { referrersOf: async () => [] };
  let found = 0;
  for (const seed of firstOf(SEEDS, 12)) {
    const steps = toSteps(randomPosts(seed));
    const boards = [boardOf(steps), boardOf(windowOf(steps, countsAsStep, WINDOW))];
    for (const board of boards) board.update(timeAt(steps.length), () => false);
    for (const signer of ['1111111111aa', '2222222222bb', '4444444444dd']) {
      const [yours, expected] = await Promise.all(
        boards.map(async (board) => {
          const own = await findOwnSteps(board, () => signer);
          return readYours(read, board, own, await distrustingThreads(board, own));
        }),
      );
      assert.deepEqual(yours, expected);
      found += Object.values(yours!).flat().length;
    }
  }
  assert.ok(found > 100, String(found));
});

thoroughTest('a board equals one of its window after 30,000 steps', () => {
  const board = new Board(WINDOW, OF_THREAD);
  const steps: Step[] = [];
  for (let seed = 1, count = 0; steps.length < 30_000; seed++) {
    const posts = randomPosts(seed).map((post) => ({ ...post, createdAt: stampAt(count++) }));
    for (const step of toSteps(posts)) {
      board.add(step);
      steps.push(step);
      if (steps.length % 97 !== 0) continue;
      compareBoards(board, boardOf(windowOf(steps, countsAsStep, WINDOW)), timeAt(count));
    }
  }
});

test('a thread of 2,000 messages begins again without its first message and others', () => {
  const idea = aPost('IDEA: x\nParts: one; two', { mark: '1111111111aa', name: 'Ann' });
  const other = aPost('IDEA: y\nParts: one; two');
  const posts = [idea, other];
  for (let n = 0; n < 2100; n++) {
    const [parent, mark] = [n % 9 === 0 ? posts.at(-2)! : idea, `${String(n % 40).padStart(11, '0')}a`];
    const text = ['WORK: x\nPart: one', 'RESULT: x\nPart: two', 'REVIEW: x\nOutcome: confirmed\nEvidence: x'][
      n % 3
    ]!;
    posts.push(aReply(parent.id, text, { mark, rootId: idea.id, name: `Agent ${n}` }));
    if (n % 50 === 0)
      posts.push(aReply(other.id, `WORK: z\nStep I am taking: ${posts.at(-1)!.id} ${posts.at(-2)!.id}`));
  }
  const stored = posts.map((post, n) => ({ ...post, createdAt: stampAt(n) }));
  let steps = toSteps(stored);
  const board = new Board();
  for (const step of steps) board.add(step);
  for (const gone of [0, 5, 1000, 1500, 1501, 2100, 1]) {
    const { id } = stored[gone]!;
    steps =
      gone % 2 === 0
        ? steps.filter((step) => step.id !== id)
        : steps.map((step) => (step.id === id ? toHeld(step) : step));
    assert.ok(replaceSteps(board, steps));
    const expected = new Board();
    for (const step of steps) expected.add(step);
    compareBoards(board, expected, timeAt(gone + 3000));
  }
});

test('a WORK names only parts that were there when it came, also once a message that it names is hidden', () => {
  const [opener, other] = ['1111111111aa', '2222222222bb'];
  const idea = aPost('IDEA: x', { mark: opener });
  const below = aReply(idea.id, 'IDEA: y', { mark: other });
  const work = aReply(idea.id, `WORK: z\nStep I am taking: ${below.id}\nPart: two`, { mark: other });
  const parts = aReply(idea.id, 'Parts: one; two', { mark: opener });
  const stored = [idea, below, work, parts].map((post, n) => ({ ...post, createdAt: stampAt(n) }));
  const board = boardOf(toSteps(stored));
  for (const state of ['gone', 'held', undefined] as const) {
    const steps = toSteps(stored, new Map(state === undefined ? [] : [[below.id, state]]));
    assert.ok(replaceSteps(board, steps));
    compareBoards(board, boardOf(steps), timeAt(10));
    assert.deepEqual(board.works.get(work.id)?.parts, []);
  }
});

test('a board that begins again in too many threads is made anew', () => {
  const posts = Array.from({ length: 30 }, (_, n) => ({
    ...aPost(`IDEA: number ${n}`),
    createdAt: stampAt(n),
  }));
  const board = new Board();
  const steps = toSteps(posts);
  assert.equal(replaceSteps(board, steps.slice(0, 21)), false);
  assert.equal(board.steps.length, 0);
  assert.equal(replaceSteps(board, steps.slice(0, 20)), true);
  assert.equal(board.steps.length, 20);
});
