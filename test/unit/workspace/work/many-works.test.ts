import assert from 'node:assert/strict';
import test from 'node:test';
import type { Step } from '#message/step.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { Derivation } from '#workspace/work/derive-work.ts';
import type { ActiveWork } from '#workspace/work/work-model.ts';
import { othersUnderWay } from '#workspace/work/under-way.ts';

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
  confirmsAll: false,
  corrects: [],
});

test('a post into a thread with many open WORKs looks at the newest ones only', () => {
  const work = new Derivation();
  for (const _ of work.addFrom(Array.from({ length: WORKS }, (_, n) => workOf(n))));
  let seen = 0;
  const counted = (works: readonly ActiveWork[]): readonly ActiveWork[] =>
    new Proxy(works, {
      get: (list, index) => {
        if (typeof index === 'string' && /^\d+$/.test(index)) seen += 1;
        return Reflect.get(list, index) as unknown;
      },
    });
  const [inThread, onRoot] = [work.worksIn(ROOT), work.worksOn.get(ROOT) ?? []].map(counted);
  work.worksIn = () => inThread ?? [];
  work.worksOn.set(ROOT, onRoot as ActiveWork[]);
  const post = { ...workOf(WORKS), name: 'Reader', message: 'RESULT: x', prefix: 'RESULT' };
  const others = othersUnderWay(work, post, START + WORKS);
  assert.deepEqual(
    others.map(({ step }) => step.id),
    Array.from({ length: 10 }, (_, n) => `post_${WORKS - 1 - n}`),
  );
  assert.ok(seen <= 20, `${seen} WORKs were looked at`);
});
