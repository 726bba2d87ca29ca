import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { median } from '../rounds.ts';
import { formatRatio, type Bench } from '../row.ts';

async function parseAll(path: string): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(path) })) JSON.parse(line);
}

const gc = (globalThis as { gc?: () => void }).gc ?? (() => undefined);

async function secondsOf(operation: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await operation();
  return (performance.now() - start) / 1000;
}

/** Opening a large store with all indexes, compared with parsing each line of its log. */
export const opening: Bench = {
  name: 'opening',
  run: async (context, { rounds, large }) => {
    const folder = context.copyStore(large);
    const log = join(folder, 'log-000001.jsonl');
    const open = () => openJsonlStore({ folder, clock: { now: () => Date.now() }, report: () => undefined });
    const [parsing, openings]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      parsing.push(await secondsOf(() => parseAll(log)));
      openings.push(await secondsOf(async () => (await open()).close()));
    }
    gc();
    const before = process.memoryUsage().heapUsed;
    const store = await open();
    gc();
    const kilobytes = (process.memoryUsage().heapUsed - before) / 1024 / large;
    await store.close();
    const [raw, ours] = [median(parsing), median(openings)];
    return [
      {
        path: `parsing every line of ${large.toLocaleString('en')} posts`,
        goal: '',
        measured: `1.00 (${raw.toFixed(2)} s)`,
      },
      {
        path: 'opening the store, indexes built',
        goal: '<= 1.5 x',
        met: ours <= 1.5 * raw,
        measured: `${formatRatio(ours, raw)} (${ours.toFixed(2)} s)`,
      },
      {
        path: 'memory for a stored post',
        goal: '<= 0.8 KB',
        met: kilobytes <= 0.8,
        measured: `${kilobytes.toFixed(2)} KB`,
      },
    ];
  },
};
