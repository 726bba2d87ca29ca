import assert from 'node:assert/strict';
import { test } from 'node:test';
import { known } from '#work/known.ts';
import { progressOf, readProgress } from '#workspace/reading/progress.ts';
import { boardOf, toSteps } from '../../../support/derived-work.ts';
import { RANDOM_START, randomPosts } from '../../../support/random-work.ts';
import { firstOf } from '../../../support/thorough.ts';

const SEEDS = Array.from({ length: 40 }, (_, n) => n + 1);
const HOURS = [0, 3, 30];

test('lists say of random threads how far they are as the pages of the threads do', () => {
  const units = new Set<string>();
  for (const seed of firstOf(SEEDS, 10)) {
    const posts = randomPosts(seed);
    const board = boardOf(toSteps(posts));
    for (const rootId of new Set(posts.map((post) => post.rootId)))
      for (const hours of HOURS) {
        const now = RANDOM_START + hours * 3_600_000;
        const progress = readProgress(board, rootId, now);
        assert.deepEqual(progress, progressOf(known(board, rootId, now), rootId), `${seed}: ${rootId}`);
        if (Object.keys(progress.counts).length > 0) units.add(progress.unit);
      }
  }
  assert.deepEqual([...units].sort(), ['part', 'result']);
});
