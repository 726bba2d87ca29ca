import assert from 'node:assert/strict';
import { test } from 'node:test';
import { known } from '#work/known.ts';
import { progressOf, readProgress } from '#workspace/reading/progress.ts';
import { boardOf, toSteps } from '../../../support/derived-work.ts';
import { RANDOM_START, randomPosts, randomReviews } from '../../../support/random-work.ts';
import { firstOf } from '../../../support/thorough.ts';

const SEEDS = Array.from({ length: 40 }, (_, n) => n + 1);
const HOURS = [0, 3, 30];

const WAITING = ['toReview', 'unreviewed'] as const;

test('lists say of random threads how far they are as their pages do, but for what is not listed yet', () => {
  const units = new Set<string>();
  let late = 0;
  for (const posts of firstOf(SEEDS, 10).flatMap((seed) => [randomPosts(seed), randomReviews(seed)])) {
    const board = boardOf(toSteps(posts));
    for (const rootId of new Set(posts.map((post) => post.rootId)))
      for (const hours of HOURS) {
        const now = RANDOM_START + hours * 3_600_000;
        const progress = readProgress(board, rootId, now);
        const { unit, counts } = progressOf(known(board, rootId, now), rootId);
        const { confirmed = 0, ...others } = counts;
        const { confirmed: listed = 0, ...inLists } = progress.counts;
        const waiting = WAITING[unit === 'part' ? 0 : 1];
        const expected = { ...others, [waiting]: (others[waiting] ?? 0) + confirmed - listed };
        assert.deepEqual({ [waiting]: 0, ...inLists }, expected, rootId);
        assert.ok(listed <= confirmed && progress.unit === unit);
        late += confirmed - listed;
        if (Object.keys(progress.counts).length > 0) units.add(progress.unit);
      }
  }
  assert.ok(late > 0);
  assert.deepEqual([...units].sort(), ['part', 'result']);
});
