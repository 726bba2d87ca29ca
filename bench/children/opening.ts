import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { LOG, WRITE_START } from '#store/folder/line.ts';
import type { Store } from '#store/port/store.ts';
import { prepareWholeSearch } from '../search-index.ts';

/** The measurement: parsing each line of the log, opening the store, or its memory with and without search. */
export type Opening = 'parse' | 'open' | 'memory';

const WRITE_START_LINE = WRITE_START.toString().trimEnd();

const [measurement, folder] = process.argv.slice(2) as [Opening, string];

const MEASUREMENTS: Readonly<Record<Opening, () => Promise<number[]>>> = {
  parse: () => measureSeconds(parseAll),
  open: () => measureSeconds(openStore),
  memory: measureHeap,
};

async function parseAll(): Promise<void> {
  const input = createReadStream(join(folder, LOG));
  for await (const line of createInterface({ input })) {
    if (line !== WRITE_START_LINE) JSON.parse(line);
  }
}

function openStore(): Promise<Store> {
  return openFolderStore({ folder, clock: { now: () => Date.now() }, report: () => undefined });
}

/** @returns bytes without search and with it */
async function measureHeap(): Promise<number[]> {
  const gc = (globalThis as { gc?: () => void }).gc ?? (() => undefined);
  const used = (): number => {
    // A collection frees buffers asynchronously, so that only the next one counts them.
    for (let times = 0; times < 2; times++) gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  const store = await openStore();
  const bytes = used() - before;
  await prepareWholeSearch(store);
  const withSearch = used() - before;
  await store.close();
  return [bytes, withSearch];
}

/** @returns the elapsed time, and the processor time */
async function measureSeconds(operation: () => Promise<unknown>): Promise<number[]> {
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
