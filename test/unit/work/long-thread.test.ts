import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStepFacts, type Step } from '#message/step.ts';
import { Board } from '#work/board.ts';
import { toSignature } from '#work/say.ts';
import { MAX_STEPS_OF_THREAD } from '#work/thread.ts';
import { judge } from '#work/verdicts.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { markOf } from '../../support/strangers.ts';
import { slowness } from '../../support/text-time.ts';

const START = Date.UTC(2026, 2, 2);
const MAX_MS = 3;
const MEASURED = 20;

const idOf = (n: number): string => `post_019c9a32-1000-7000-8000-${n.toString(16).padStart(12, '0')}`;

interface Given {
  readonly message: string;
  readonly parent?: number;
  readonly name?: string;
  readonly mark?: string;
}

/** @returns the n-th step of a thread */
function stepOf(n: number, { message, parent = 0, name, mark }: Given): Step {
  const post = {
    id: idOf(n),
    message,
    prefix: parsePrefix(message),
    parentId: n === 0 ? null : idOf(parent),
    createdAt: timestampAt(START + n),
    ...(name !== undefined && { name }),
    ...(mark !== undefined && { mark }),
  };
  const { id, prefix, parentId, createdAt } = post;
  return { id, prefix, parentId, rootId: idOf(0), createdAt, ...readStepFacts(post)! };
}

const PARTS = Array.from({ length: 20 }, (_, part) => `p${part}`);
const ROOT: Given = {
  message: `IDEA: x\nParts: ${PARTS.join('; ')}`,
  name: 'Ann',
  mark: markOf(1).toUpperCase(),
};

const boardOf = (count: number, given: (n: number) => Given): Board => {
  const board = new Board();
  for (let n = 0; n < count; n++) board.add(stepOf(n, n === 0 ? ROOT : given(n)));
  return board;
};

const THREADS: Readonly<Record<string, (n: number) => Given>> = {
  WORKs: (n) => ({ message: `WORK: ${n}`, name: `Agent ${n % 7}` }),
  RESULTs: (n) => ({ message: `RESULT: ${n}`, name: `Agent ${n}` }),
  'RESULTs and REVIEWs of each': (n) =>
    n % 2 === 1
      ? { message: `RESULT: ${n}`, name: `Agent ${n}` }
      : { message: 'REVIEW: x\nOutcome: confirmed\nEvidence: x', parent: n - 1, name: `Other ${n}` },
  'WORKs and RESULTs of parts': (n) => ({
    message: `${n % 2 === 1 ? 'WORK' : 'RESULT'}: ${n}\nPart: p${n % PARTS.length}`,
    name: `Agent ${n % 9}`,
  }),
  'IDEAs with one first line': (n) => ({ message: 'IDEA: the same words', name: `Agent ${n % 9}` }),
};

for (const [what, given] of Object.entries(THREADS))
  test(`one more step in a thread of 2,000 takes at most ${MAX_MS} ms until the lists are up to date: ${what}`, () => {
    const board = boardOf(MAX_STEPS_OF_THREAD, given);
    board.update(START, () => false);
    const times = Array.from({ length: MEASURED }, (_, n) => {
      const step = stepOf(MAX_STEPS_OF_THREAD + n, given(MAX_STEPS_OF_THREAD + n));
      const start = performance.now();
      board.add(step);
      board.update(START, () => false);
      return performance.now() - start;
    });
    // Other processes only make it longer.
    const least = Math.min(...times);
    assert.ok(least <= MAX_MS || least <= MAX_MS * slowness(), `${least} ms`);
  });

test('a thread lists and judges its newest 2,000 steps, and knows who wrote its first message', () => {
  const given = (n: number): Given => ({
    message: `RESULT: ${n}`,
    name: `Agent ${n}`,
    ...(n === 2 && { mark: markOf(2) }),
  });
  const board = boardOf(MAX_STEPS_OF_THREAD, given);
  const first = board.results.get(idOf(1))!;
  assert.equal(judge(first).standing, 'unreviewed');
  board.update(START, () => false);
  assert.equal(board.read().unreviewed.at(-1)?.id, idOf(1));
  const corrects = {
    message: `RESULT: x\nCorrects: ${idOf(1)} ${idOf(2)}`,
    name: 'Agent 2',
    mark: markOf(2),
  };
  board.add(stepOf(MAX_STEPS_OF_THREAD, corrects));
  board.add(stepOf(MAX_STEPS_OF_THREAD + 1, { message: 'RESULT: y', name: 'Ann', mark: markOf(1) }));
  board.update(START, () => false);
  const { unreviewed } = board.read();
  assert.equal(unreviewed.length, MAX_STEPS_OF_THREAD - 1);
  assert.equal(unreviewed.at(-1)?.id, idOf(3));
  assert.deepEqual([board.results.has(idOf(1)), board.results.has(idOf(2))], [false, true]);
  assert.equal(judge(board.results.get(idOf(2))!).standing, 'replaced');
  assert.deepEqual(toSignature(board, board.authorOf(stepOf(0, ROOT))), { mark: markOf(1) });
});
