import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countsAsStep, windowOf, type Step } from '#message/step.ts';
import { Board, WORK_LISTS } from '#work/board.ts';
import { membersOf } from '#work/trusted.ts';
import { freeParts } from '#work/parts.ts';
import { signatureOfStep } from '#work/say.ts';
import { findOriginal, findTwin, judge } from '#work/verdicts.ts';
import { listWork, toSteps, type State } from '../../support/derived-work.ts';
import { randomPosts, RANDOM_START } from '../../support/random-work.ts';
import { SeededRandom } from '../../torture/support/random.ts';
import { firstOf } from '../../support/thorough.ts';

const MINUTE_MS = 60_000;
const WINDOW = { steps: 60, all: 90 };
const SEEDS = Array.from({ length: 40 }, (_, n) => n + 1);

function boardOf(steps: readonly Step[]): Board {
  const board = new Board(WINDOW);
  for (const step of steps) board.add(step);
  return board;
}

function compare(board: Board, expected: Board, now: number): void {
  assert.deepEqual(describe(board, now), describe(expected, now));
  // What has left may still be expected to change something.
  assert.ok(board.changesAt <= expected.changesAt);
}

/** @returns all that readers see of the steps of a board */
function describe(board: Board, now: number) {
  const lists = listWork(board, now);
  const ids = board.steps.map(({ id }) => id);
  const roots = [...new Set(board.steps.map(({ rootId }) => rootId))];
  return {
    ids,
    lists: WORK_LISTS.map((list) => `${list}: ${lists[list].map(({ id }) => id).join(' ')}`),
    standings: [...board.results].map(([id, result]) => `${id} ${judge(result).standing}`).sort(),
    originals: ids.map((id) => {
      const [idea, result] = [board.ideas.get(id), board.results.get(id)];
      return `${id} ${(idea && findTwin(idea)?.id) ?? (result && findOriginal(result)?.id)}`;
    }),
    parts: [...board.ideas].map(([id, idea]) => `${id} ${freeParts(idea, now).join()}`).sort(),
    trusted: roots.map((id) => membersOf(board.thread(id)!)),
    signatures: ids.map((id) => signatureOfStep(board, id)),
    first: ids.map((id) => board.authorOfStep(id)?.writer?.first.id),
    works: [...board.works]
      .map(([id, work]) => `${id} ${work.takes.join()} ${work.parts.map(({ index }) => index).join()}`)
      .sort(),
    ended: board.newestEnded('', 100).map(({ item, by }) => `${item.step.id} ${by.id}`),
  };
}

const timeAt = (count: number): number => RANDOM_START + count * MINUTE_MS;

for (const seed of firstOf(SEEDS, 12))
  it(`a board that ran long equals one of its window, with the posts of seed ${seed}`, () => {
    const steps = toSteps(randomPosts(seed));
    const board = new Board(WINDOW);
    for (const [index, step] of steps.entries()) {
      board.add(step);
      if (index % 7 !== 0 && index < steps.length - 1) continue;
      const now = timeAt(index);
      const window = windowOf(steps.slice(0, index + 1), countsAsStep, WINDOW);
      compare(board, boardOf(window), now);
    }
  });

for (const seed of firstOf(SEEDS, 12))
  it(`a board equals a new one after messages of seed ${seed} were held, hidden and shown again`, () => {
    const random = new SeededRandom(seed);
    const posts = randomPosts(seed);
    const states = new Map<string, State>();
    const known = new Map<string, Step>();
    const board = new Board(WINDOW);
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
      assert.ok(board.replace(steps));
      compare(board, boardOf(windowOf(steps, countsAsStep, WINDOW)), now);
      if (random.below(3) > 0) listWork(board, now + MINUTE_MS);
    }
  });
