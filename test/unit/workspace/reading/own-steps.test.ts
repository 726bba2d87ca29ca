import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Step } from '#message/step.ts';
import { Board } from '#work/board.ts';
import { findOwnSteps } from '#workspace/reading/own-steps.ts';
import { aStep } from '../../../support/steps.ts';
import { countTurns } from '../../../support/turns.ts';

const OWN = '0000000000aa';
const OTHER = '0000000000bb';

/** The step of a thread of its own, at the minute of its number. */
const stepOf = (n: number, mark: string | undefined): Step =>
  aStep({
    id: `post_${n}`,
    prefix: 'IDEA',
    createdAt: new Date(n * 60_000).toISOString(),
    ...(mark !== undefined && { mark, opener: mark }),
  });

function boardOf(marks: readonly (string | undefined)[]): Board {
  const board = new Board();
  for (const [n, mark] of marks.entries()) board.add(stepOf(n, mark));
  return board;
}

it('draws a signer once for each of the newest 2,000 threads in which a key was sent', async () => {
  const marks = Array.from({ length: 2600 }, (_, n) => (n % 2 === 0 ? undefined : OTHER));
  const board = boardOf([OWN, ...marks, OWN, ...Array<string>(1000).fill(OTHER), OWN]);
  const asked: string[] = [];
  const own = await findOwnSteps(board, (rootId) => {
    asked.push(rootId);
    return OWN;
  });
  const found = own.map(({ id }) => id);
  assert.deepEqual(found, ['post_3602', 'post_2601']);
  assert.deepEqual([asked.length, new Set(asked).size], [2000, 2000]);
  const unsigned = new Set(board.steps.flatMap(({ mark, rootId }) => (mark === undefined ? [rootId] : [])));
  assert.ok(!asked.some((rootId) => unsigned.has(rootId)));
  const after = new Date(2601 * 60_000).toISOString();
  const ids = (await findOwnSteps(board, () => OWN, after)).map(({ id }) => id);
  assert.deepEqual(ids, ['post_3602']);
});

it('lets the event loop do other work between the hashes', async (t) => {
  const turns = countTurns(t);
  const seen = new Set<number>();
  await findOwnSteps(boardOf(Array<string>(40).fill(OTHER)), () => {
    seen.add(turns());
    // As long as a few hundred hashes take.
    for (const end = performance.now() + 1; performance.now() < end; );
    return undefined;
  });
  assert.ok(seen.size >= 4, `${seen.size} slices of 40 ms`);
});
