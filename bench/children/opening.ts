import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { JsonlStoreOptions } from '#store/jsonl/jsonl-options.ts';
import { WRITE_START } from '#store/jsonl/log/line.ts';
import { segmentName } from '#store/jsonl/log/segment-names.ts';
import { LINES_PER_FILE } from '#store/jsonl/rows/rows-folder.ts';
import type { Store } from '#store/store.ts';

/**
 * What the process measures: parsing each line of the log, opening the store from its lines or from its rows, or the heap of
 * an open store. `describe` writes the rows.
 */
export type Opening = 'parse' | 'scan' | 'describe' | 'open' | 'memory';

const POLL_MS = 100;
const WRITE_START_LINE = WRITE_START.toString().trimEnd();

const [measurement, folder] = process.argv.slice(2) as [Opening, string];

const MEASUREMENTS: Readonly<Record<Opening, () => Promise<number[]>>> = {
  parse: () => secondsOf(parseAll),
  scan: () => secondsOf(() => openStore({ readsEveryLine: true })),
  describe: () => secondsOf(writeRows),
  open: () => secondsOf(() => openStore()),
  memory: heapOfStore,
};

async function parseAll(): Promise<void> {
  const input = createReadStream(join(folder, segmentName(1)));
  for await (const line of createInterface({ input })) {
    if (line !== WRITE_START_LINE) JSON.parse(line);
  }
}

function openStore(options: Pick<JsonlStoreOptions, 'readsEveryLine' | 'rows'> = {}): Promise<Store> {
  return openJsonlStore({ folder, clock: { now: () => Date.now() }, report: () => undefined, ...options });
}

/** Until a while passes without another file. */
async function writeRows(): Promise<void> {
  const store = await openStore({ rows: { linesPerFile: LINES_PER_FILE, intervalMs: 1 } });
  const { posts } = await store.read.totals();
  const rows = join(folder, 'rows');
  const count = (): number =>
    existsSync(rows) ? readdirSync(rows).filter((name) => name.endsWith('.rows')).length : 0;
  while (count() < Math.floor(posts / LINES_PER_FILE)) await sleep(POLL_MS);
  await store.close();
}

/** @returns bytes */
async function heapOfStore(): Promise<number[]> {
  const gc = (globalThis as { gc?: () => void }).gc ?? (() => undefined);
  const used = (): number => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  const store = await openStore();
  const bytes = used() - before;
  await store.close();
  return [bytes];
}

/** @returns the elapsed time, and the processor time */
async function secondsOf(operation: () => Promise<unknown>): Promise<number[]> {
  const start = performance.now();
  const before = process.cpuUsage();
  await operation();
  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return [elapsed, (user + system) / 1e6];
}

process.once('message', () => {
  void MEASUREMENTS[measurement]().then((numbers) => process.send!(numbers));
});
