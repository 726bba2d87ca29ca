import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { LOG, WRITE_START } from '#store/folder/line.ts';
import type { Store } from '#store/port/store.ts';
import { moderate } from '#workspace/moderation/operator-writes.ts';
import { fill, posts, prepareWholeSearch, report } from './data.ts';
import { timed } from './measure.ts';

const WRITE_START_LINE = WRITE_START.toString().trimEnd();

const folder = process.argv[2]!;
let store: Store | undefined;

const open = async (): Promise<Store> => {
  store ??= await openFolderStore({ folder, clock: { now: () => Date.now() }, report });
  return store;
};

/** What a process that has no other work does with a folder. Each returns numbers. */
const TASKS: Readonly<Record<string, (argument: string | number) => Promise<number[]>>> = {
  async fill(count) {
    await fill(await open(), posts(0, Number(count)));
    await store?.close();
    return [];
  },

  /** Milliseconds of parsing each line of the log. */
  parse: async () => [await timed(parseAll)],

  /** Milliseconds of opening the store. */
  open: async () => [await timed(open)],

  /** Bytes of the open store, without search and with it. */
  async memory() {
    const before = usedBytes();
    await open();
    const bytes = usedBytes() - before;
    await prepareWholeSearch(store!);
    return [bytes, usedBytes() - before];
  },

  /** Milliseconds of erasing the record with this id. */
  async erase(id) {
    await open();
    return [await timed(async () => assert.ok(await moderate(store!, 'erase', String(id), 'bench')))];
  },
};

async function parseAll(): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(join(folder, LOG)) }))
    if (line !== WRITE_START_LINE) JSON.parse(line);
}

function usedBytes(): number {
  const gc = (globalThis as { gc?: () => void }).gc ?? (() => undefined);
  // A collection frees buffers asynchronously, so that only the next one counts them.
  for (let times = 0; times < 2; times++) gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on('message', ({ task, argument }: { task: string; argument: string | number }) => {
  void TASKS[task]!(argument).then((numbers) => process.send!(numbers));
});
