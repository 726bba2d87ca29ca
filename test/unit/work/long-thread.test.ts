import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStepFacts, type Step } from '#message/step.ts';
import { Board } from '#work/board.ts';
import { othersUnderWay } from '#work/conflict.ts';
import { LinkedThread, MAX_STEPS_OF_THREAD } from '#work/linked-thread.ts';
import { worksByTimeOf } from '#work/open.ts';
import { toSignature } from '#work/standing-view.ts';
import type { Thread, Work } from '#work/model.ts';
import { viewpointOfOpener } from '#work/trusted.ts';
import { judge } from '#work/verdicts.ts';
import { chooseWorks, trustedFirst } from '#work/works.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { aStep } from '../../support/steps.ts';
import { signerOf } from '../../support/strangers.ts';
import { firstOf } from '../../support/thorough.ts';

const START = Date.UTC(2026, 2, 2);
const MEASURED = 40;
const MAX_MEASURED = 400;
/** Between the steps of a short and a long thread. The square is 64. */
const FACTOR = 8;
const MAX_GROWTH = 2 * FACTOR;

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
  return { id, prefix, parentId, rootId: idOf(0), createdAt, ...parseStepFacts(post)! };
}

const PARTS = Array.from({ length: 20 }, (_, part) => `p${part}`);
const ROOT: Given = {
  message: `IDEA: x\nParts: ${PARTS.join('; ')}`,
  name: 'Ann',
  mark: signerOf(1).toUpperCase(),
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

/**
 * Adds a step to each board in turn, until the times are as linear ones, and at most 400 steps: on a busy machine it
 * takes more of them to find how long the work itself takes.
 * @returns the least time of each until its lists are up to date
 */
function timeInTurn(boards: readonly Board[], given: (n: number) => Given): [short: number, long: number] {
  const least: [number, number] = [Infinity, Infinity];
  for (let n = 0; n < MAX_MEASURED; n++) {
    for (const [index, board] of boards.entries()) {
      const step = stepOf(MAX_STEPS_OF_THREAD + n, given(MAX_STEPS_OF_THREAD + n));
      const start = performance.now();
      board.add(step);
      board.update(START, () => false);
      least[index] = Math.min(least[index]!, performance.now() - start);
    }
    if (n >= MEASURED && least[1] < MAX_GROWTH * least[0]) break;
  }
  return least;
}

for (const [what, given] of firstOf(Object.entries(THREADS)))
  test(`one more step in a thread takes no time by the square of its steps: ${what}`, () => {
    const boards = [MAX_STEPS_OF_THREAD / FACTOR, MAX_STEPS_OF_THREAD].map((count) => boardOf(count, given));
    for (const board of boards) board.update(START, () => false);
    const [short, long] = timeInTurn(boards, given);
    assert.ok(long < MAX_GROWTH * short, `${short} ms, and ${long} ms with ${FACTOR} times the steps`);
  });

test('a thread lists and judges its newest 2,000 steps, and knows who wrote its first message', () => {
  const given = (n: number): Given => ({
    message: `RESULT: ${n}`,
    name: `Agent ${n}`,
    ...(n === 2 && { mark: signerOf(2) }),
  });
  const board = boardOf(MAX_STEPS_OF_THREAD, given);
  const first = board.results.get(idOf(1))!;
  assert.equal(judge(first).standing, 'unreviewed');
  board.update(START, () => false);
  assert.equal(board.lists.current().toReview.at(-1)?.id, idOf(1));
  const corrects = {
    message: `RESULT: x\nCorrects: ${idOf(1)} ${idOf(2)}`,
    name: 'Agent 2',
    mark: signerOf(2),
  };
  board.add(stepOf(MAX_STEPS_OF_THREAD, corrects));
  board.add(stepOf(MAX_STEPS_OF_THREAD + 1, { message: 'RESULT: y', name: 'Ann', mark: signerOf(1) }));
  board.update(START, () => false);
  const { toReview } = board.lists.current();
  assert.equal(toReview.length, MAX_STEPS_OF_THREAD - 1);
  assert.equal(toReview.at(-1)?.id, idOf(3));
  assert.deepEqual([board.results.has(idOf(1)), board.results.has(idOf(2))], [false, true]);
  assert.equal(judge(board.results.get(idOf(2))!).standing, 'replaced');
  assert.deepEqual(toSignature(board, board.authorOf(stepOf(0, ROOT))), { signer: signerOf(1) });
});

const CONFIRMS = 'REVIEW: x\nOutcome: confirmed\nEvidence: x';

/** @param writers numbers of marks; that of the opener is 1 */
const threadOf = (given: readonly (Omit<Given, 'mark'> & { readonly writer: number })[]): Thread => {
  const items = {
    ideas: new Map(),
    works: new Map(),
    results: new Map(),
    worksOn: new Map(),
  };
  const thread = new LinkedThread(idOf(0), items);
  for (const [n, { writer, ...one }] of given.entries())
    thread.add({ ...stepOf(n, { ...one, mark: signerOf(writer) }), opener: signerOf(1) });
  return thread;
};

test('a chain of confirmed corrections is judged at any length', () => {
  const chain = Array.from({ length: 4000 }, (_, n) => [
    { message: `RESULT: ${n}${n === 0 ? '' : `\nCorrects: ${idOf(2 * n - 1)}`}`, writer: 2 },
    { message: CONFIRMS, parent: 2 * n + 1, writer: 1 },
  ]);
  const { results } = threadOf([{ message: 'IDEA: x', writer: 1 }, ...chain.flat()]);
  assert.equal(judge(results[0]!).standing, 'replaced');
  assert.equal(judge(results.at(-1)!).standing, 'confirmed');
});

const WORKS = 2000;
const DAY_MS = 24 * 3_600_000;
const FIRST = 'post_root';

const aWork = (n: number): Step =>
  aStep({
    id: `post_${n}`,
    prefix: 'WORK',
    parentId: FIRST,
    rootId: FIRST,
    createdAt: timestampAt(START + n),
    name: `Agent ${n}`,
    refersTo: [FIRST],
  });

test('a post into a thread with many open WORKs names three of other writers, and looks at each once', () => {
  const work = new Board();
  for (let n = 0; n < WORKS; n++) work.add(aWork(n));
  let seen = 0;
  const counted = (works: readonly Work[]): readonly Work[] =>
    new Proxy(works, {
      get: (list, index) => {
        if (typeof index === 'string' && /^\d+$/.test(index)) seen += 1;
        return Reflect.get(list, index) as unknown;
      },
    });
  const thread = work.thread(FIRST)!;
  const post = { ...aWork(WORKS), name: 'Reader', message: 'RESULT: x', prefix: 'RESULT' };
  const { works } = thread;
  Object.assign(thread, { works: counted(works) });
  for (let call = 0; call < 2; call++) {
    const others = othersUnderWay(work, post, '', START + WORKS);
    const ids = others.map(({ step }) => step.id);
    assert.deepEqual(
      ids,
      [1, 2, 3].map((n) => `post_${WORKS - n}`),
    );
  }
  assert.equal(seen, WORKS);
  Object.assign(thread, { works });
  const first = worksByTimeOf(thread, START + WORKS);
  // The same until a due time or a step.
  assert.equal(worksByTimeOf(thread, START + DAY_MS - 1), first);
  assert.equal(worksByTimeOf(thread, START + DAY_MS).overdue.length, 1);
  assert.equal(worksByTimeOf(thread, START + WORKS).overdue.length, 0);
  work.add(aWork(WORKS));
  assert.equal(worksByTimeOf(thread, START + WORKS).underWay.length, WORKS);
});

test('WORKs of trusted signers come first, the newest of each writer', () => {
  const work = new Board();
  const signed = (n: number, mark: string, name = `Agent ${n}`): Step => ({
    ...aWork(n),
    mark,
    name,
    opener: '0aaaaaaaaaaa',
  });
  const steps = [
    { ...signed(0, '0aaaaaaaaaaa'), id: FIRST, prefix: 'IDEA', parentId: null },
    signed(1, '0aaaaaaaaaaa'),
    signed(2, '0bbbbbbbbbbb'),
    signed(3, '0bbbbbbbbbbb'),
    signed(4, '0ccccccccccc'),
    { ...aWork(5), name: 'Crowd' },
    { ...aWork(6), name: 'Crowd' },
    aWork(7),
  ];
  for (const step of steps) work.add({ ...step, opener: '0aaaaaaaaaaa' });
  const thread = work.thread(FIRST)!;
  const newest = trustedFirst(thread.works.toReversed(), viewpointOfOpener(thread));
  const choose = (max: number) => chooseWorks(newest, max).map(({ step }) => step.id.slice(5));
  assert.deepEqual(choose(9), ['1', '7', '6', '4', '3']);
  assert.deepEqual(choose(2), ['1', '7']);
});
