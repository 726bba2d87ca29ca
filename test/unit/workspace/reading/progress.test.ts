import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import type { Board } from '#work/board.ts';
import { summarizeThread } from '#work/thread-summary.ts';
import { partsFor, partsOf } from '#work/parts.ts';
import type { Result, Standing } from '#work/model.ts';
import { judge } from '#work/verdicts.ts';
import { progressOf, progressInLists, type Progress } from '#workspace/reading/progress.ts';
import { boardOf, listWork, toSteps } from '../../../support/derived-work.ts';
import { RANDOM_START, randomPosts, randomReviews } from '../../../support/random-work.ts';
import { firstOf } from '../../../support/thorough.ts';

const SEEDS = Array.from({ length: 40 }, (_, n) => n + 1);
const HOURS = [0, 3, 30];

/** @returns the same posts, where the first one has parts and each RESULT is for one of them */
const withParts = (posts: readonly Post[]): Post[] =>
  posts.map((post, n) => {
    const part = post.prefix === 'RESULT' ? `\nPart: p${n % 3}` : '';
    return { ...post, message: `${post.message}${n === 0 ? '\nParts: p0; p1; p2' : part}` };
  });

interface ThreadAt {
  readonly board: Board;
  readonly now: number;
  readonly rootId: string;
}

/** @returns how many RESULTs of a thread, or parts of its first message, a list over threads has as confirmed */
function countListed(
  { board, now, rootId }: ThreadAt,
  list: readonly Step[],
  unit: Progress['unit'],
): number {
  const listed = list.filter((step) => step.rootId === rootId);
  if (unit === 'result') return listed.length;
  const parts = listed
    .flatMap(({ id }) => partsFor(board.results.get(id)!))
    .filter(({ idea, index }) => idea.step.id === rootId && partsOf(idea, now)[index]?.state === 'confirmed');
  return new Set(parts.map(({ index }) => index)).size;
}

function isTakenBack(result: Result, which: Standing): boolean {
  const { standing, withdrawal } = judge(result);
  return standing === which && withdrawal !== undefined;
}

test('lists say of random threads how far they are as their pages do, but for what is not listed yet', () => {
  const found = new Set<string>();
  const seeds = firstOf(SEEDS, 10);
  const reviewed = seeds.map((seed) => randomReviews(seed));
  for (const posts of [...seeds.map((seed) => randomPosts(seed)), ...reviewed, ...reviewed.map(withParts)]) {
    const board = boardOf(toSteps(posts));
    for (const now of HOURS.map((hours) => RANDOM_START + hours * 3_600_000)) {
      const list = listWork(board, now).confirmed;
      for (const rootId of new Set(posts.map((post) => post.rootId))) {
        const picture = summarizeThread(board, rootId, now);
        const { unit, counts } = progressOf(picture, rootId);
        const { confirmed = 0, partlyConfirmed = 0, withdrawn = 0, ...others } = counts;
        const listed = countListed({ board, now, rootId }, list, unit);
        const waiting = unit === 'part' ? 'toReview' : 'unreviewed';
        // A RESULT of votes that its writer has withdrawn is in no list, and waits for no review.
        const takenBack = (which: Standing): number =>
          unit === 'part' ? 0 : picture.results.filter((one) => isTakenBack(one, which)).length;
        const toReview = (others[waiting] ?? 0) + confirmed - listed - takenBack('confirmed');
        const partly = partlyConfirmed - takenBack('partlyConfirmed');
        const allWithdrawn = withdrawn + takenBack('confirmed') + takenBack('partlyConfirmed');
        const expected = {
          ...others,
          ...(toReview > 0 && { [waiting]: toReview }),
          ...(listed > 0 && { confirmed: listed }),
          ...(partly > 0 && { partlyConfirmed: partly }),
          ...(allWithdrawn > 0 && { withdrawn: allWithdrawn }),
        };
        assert.deepEqual(progressInLists(board, rootId, now), { unit, counts: expected }, rootId);
        if (listed > 0) found.add(`${unit} listed`);
        if (listed < confirmed) found.add(`${unit} late`);
        if (takenBack('confirmed') > 0) found.add('result taken back');
        if (takenBack('partlyConfirmed') > 0) found.add('partly confirmed result taken back');
      }
    }
  }
  assert.deepEqual([...found].sort(), [
    'part late',
    'part listed',
    'partly confirmed result taken back',
    'result late',
    'result listed',
    'result taken back',
  ]);
});
