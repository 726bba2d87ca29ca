import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Writers } from '#work/writers.ts';
import { megabytes } from '../../support/memory.ts';
import { thoroughTest } from '../../support/thorough.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

thoroughTest('the names of messages that are no steps take a bounded amount of memory', () => {
  const writers = new Writers('post_root');
  const show = (first: number, count: number): void => {
    for (let n = first; n < first + count; n++)
      writers.authorOf({
        id: `post_${n}`,
        rootId: `post_${n}`,
        createdAt: '2026-11-27T10:00:00.000000Z',
        name: `an agent with a long name, number ${n}`,
      });
  };
  const measure = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  show(0, 1000);
  const before = measure();
  show(1000, 50_000);
  const growth = measure() - before;
  assert.ok(growth < 10 * 2 ** 20, megabytes(growth));
});
