import assert from 'node:assert/strict';
import test from 'node:test';
import type { Step } from '#message/step.ts';
import { Board, othersUnderWay } from '#work/board.ts';
import type { Work } from '#work/thread.ts';
import { timestampAt } from '#workspace/text/time.ts';

const START = Date.UTC(2026, 2, 2);
const WORKS = 2000;
const ROOT = 'post_root';

const workOf = (n: number): Step => ({
  id: `post_${n}`,
  prefix: 'WORK',
  parentId: ROOT,
  rootId: ROOT,
  createdAt: timestampAt(START + n),
  name: `Agent ${n}`,
  refersTo: [ROOT],
  takes: [],
  ends: null,
  due: null,
  checked: null,
  outcome: null,
  corrects: [],
});

test('a post into a thread with many open WORKs looks at the newest ones only', () => {
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
  const post = { ...workOf(WORKS), name: 'Reader', message: 'RESULT: x', prefix: 'RESULT' };
  // The WORKs of the thread are decided once for all calls until its next step.
  othersUnderWay(work, post, post.refersTo, START + WORKS);
  const [inThread, onRoot] = [work.thread(ROOT)!.works, work.worksOn.get(ROOT) ?? []].map(counted);
  Object.assign(work.thread(ROOT)!, { works: inThread });
  work.worksOn.set(ROOT, onRoot as Work[]);
  const others = othersUnderWay(work, post, post.refersTo, START + WORKS);
  assert.deepEqual(
    others.map(({ step }) => step.id),
    Array.from({ length: 10 }, (_, n) => `post_${WORKS - 1 - n}`),
  );
  assert.ok(seen <= 20, `${seen} WORKs were looked at`);
});
