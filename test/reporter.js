// The reporter `spec`, and after it the files whose tests took most processor time, with that of the processes that
// they started and that have ended. A file of the quick run has a share of the whole, so that a slow or busy machine
// changes nothing.
import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { spec as Spec } from 'node:test/reporters';

/** The diagnostic of each test, from the hook of its room (`run.js`): milliseconds. */
const COST = /^processor time (\d+)$/;
const SHOWN = 10;

/** Some 1.5 s where the whole run takes 100. */
const CAP = 0.015;
/** Of the cap, beyond which the run fails. Shares of one file differ by half between runs and between machines. */
const TOLERANCE = 6;
/** Files that may take more, and why. */
const LONGER = {
  'test/surfaces/parity.test.ts': 'asks for the same over REST, MCP and stdio',
  'test/surfaces/reference-tables.test.ts':
    'is counted the processes that the file before it started, as they end',
  'test/unit/workspace/full-windows.test.ts':
    'fills windows of thousands of steps, and counts what reads of them do',
};

export default async function* report(events) {
  /** Milliseconds by file. */
  const costs = new Map();
  async function* withoutCosts() {
    for await (const event of events) {
      const cost = event.type === 'test:diagnostic' ? COST.exec(event.data.message)?.[1] : undefined;
      if (cost === undefined) yield event;
      else costs.set(event.data.file, (costs.get(event.data.file) ?? 0) + Number(cost));
    }
  }
  yield* Readable.from(withoutCosts()).pipe(new Spec());
  const sorted = [...costs].toSorted(([, a], [, b]) => b - a);
  const all = sorted.reduce((sum, [, cost]) => sum + cost, 0);
  yield `\nmost processor time, of ${seconds(all)}:\n`;
  for (const [index, [path, cost]] of sorted.entries()) {
    const file = relative(process.cwd(), path).replaceAll('\\', '/');
    const isOver = process.env.TEST_CAP === '1' && cost > CAP * all && !(file in LONGER);
    if (index < SHOWN || isOver) yield `${seconds(cost)}  ${file}${isOver ? ', over the cap' : ''}\n`;
    if (isOver && cost > TOLERANCE * CAP * all) process.exitCode = 1;
  }
}

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2).padStart(6)} s`;
