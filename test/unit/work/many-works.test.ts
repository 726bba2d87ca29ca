import assert from 'node:assert/strict';
import test from 'node:test';
import type { Step } from '#message/step.ts';
import { Board } from '#work/board.ts';
import { worksIn } from '#work/open.ts';
import { othersUnderWay } from '#work/conflict.ts';
import type { Work } from '#work/thread.ts';
import { viewpointOfOpener } from '#work/trusted.ts';
import { chooseWorks, trustedFirst } from '#work/works.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { aStep } from '../../support/steps.ts';

const START = Date.UTC(2026, 2, 2);
const WORKS = 2000;
const DAY_MS = 24 * 3_600_000;
const ROOT = 'post_root';

const workOf = (n: number): Step =>
  aStep({
    id: `post_${n}`,
    prefix: 'WORK',
    parentId: ROOT,
    rootId: ROOT,
    createdAt: timestampAt(START + n),
    name: `Agent ${n}`,
    refersTo: [ROOT],
  });

test('a post into a thread with many open WORKs names three of other writers, and looks at each once', () => {
  const work = new Board();
  for (let n = 0; n < WORKS; n++) work.add(workOf(n));
  let seen = 0;
  const counted = (works: readonly Work[]): readonly Work[] =>
    new Proxy(works, {
      get: (list, index) => {
        if (typeof index === 'string' && /^\d+$/.test(index)) seen += 1;
        return Reflect.get(list, index) as unknown;
      },
    });
  const thread = work.thread(ROOT)!;
  const post = { ...workOf(WORKS), name: 'Reader', message: 'RESULT: x', prefix: 'RESULT' };
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
  const first = worksIn(thread, START + WORKS);
  // The same until a due time or a step.
  assert.equal(worksIn(thread, START + DAY_MS - 1), first);
  assert.equal(worksIn(thread, START + DAY_MS).overdue.length, 1);
  assert.equal(worksIn(thread, START + WORKS).overdue.length, 0);
  work.add(workOf(WORKS));
  assert.equal(worksIn(thread, START + WORKS).underWay.length, WORKS);
});

test('WORKs of trusted signers come first, the newest of each writer', () => {
  const work = new Board();
  const signed = (n: number, mark: string, name = `Agent ${n}`): Step => ({
    ...workOf(n),
    mark,
    name,
    opener: '0aaaaaaaaaaa',
  });
  const steps = [
    { ...signed(0, '0aaaaaaaaaaa'), id: ROOT, prefix: 'IDEA', parentId: null },
    signed(1, '0aaaaaaaaaaa'),
    signed(2, '0bbbbbbbbbbb'),
    signed(3, '0bbbbbbbbbbb'),
    signed(4, '0ccccccccccc'),
    { ...workOf(5), name: 'Crowd' },
    { ...workOf(6), name: 'Crowd' },
    workOf(7),
  ];
  for (const step of steps) work.add({ ...step, opener: '0aaaaaaaaaaa' });
  const thread = work.thread(ROOT)!;
  const newest = trustedFirst(thread.works.toReversed(), viewpointOfOpener(thread));
  const choose = (max: number) => chooseWorks(newest, max).map(({ step }) => step.id.slice(5));
  assert.deepEqual(choose(9), ['1', '7', '6', '4', '3']);
  assert.deepEqual(choose(2), ['1', '7']);
});
