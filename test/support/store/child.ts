import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeDisk, type Disk } from '#store/folder/fs/disk.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { thisHost } from '#store/folder/host.ts';
import type { ExportedRecord } from '#store/port/records.ts';
import { StoreFailure } from '#store/port/store.ts';
import { aPost, anOrigin } from './records.ts';
import { addLimitedPost, addRecord, erase, IMPORTED_AT_ONCE, importEntries } from './writes.ts';

// A process with the store open. It runs one command per line of standard input, prints one line for each
// answer, and then `done`.
const [folder = '', name = '', ...modes] = process.argv.slice(2);
/** Synchronous: a killed process has printed what it acknowledged. Waits while the pipe is full. */
const print = (text: string): void => {
  for (;;) {
    try {
      writeSync(1, `${text}\n`);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
};

/** A device that takes so long. */
const slowDisk = (ms: number): Disk => ({
  ...nodeDisk,
  open: async (path, mode) => {
    const file = await nodeDisk.open(path, mode);
    const sync = async (): Promise<void> => {
      await sleep(ms);
      await file.sync();
    };
    return { ...file, sync };
  },
});

/** One look in ten at a lock finds its holder dead: if each did, no replacement would last. */
let looks = 0;
const isAlive = (): boolean => (looks += 1) % 10 !== 0;

const slowSyncs = Number(modes.find((mode) => mode.startsWith('sync='))?.slice('sync='.length) ?? 0);
const store = await openFolderStore({
  folder,
  clock: { now: () => Date.now() },
  report: print,
  ...(modes.includes('ignores-locks') && { host: { ...thisHost, isAlive } }),
  ...(slowSyncs > 0 && { disk: slowDisk(slowSyncs) }),
});

let written = 0;
const BATCH_PAUSE_MS = 200;

/** Prints what becomes of a call, and how many milliseconds it took. @returns whether it was acknowledged */
async function answered(what: string, text: string, call: () => Promise<unknown>): Promise<boolean> {
  const start = performance.now();
  const outcome = await call().then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof StoreFailure) return error.stored === 'nothing' ? 'refused' : 'unknown';
      throw error;
    },
  );
  print(`${what} ${outcome} ${text} ${Math.ceil(performance.now() - start)}`);
  return outcome === 'done';
}

/** Posts; reads that back; erases every third post. */
async function write(): Promise<void> {
  const number = (written += 1);
  const post = aPost(`${name}-${number}.`);
  const { message, id } = post;
  if (!(await answered('post', message, () => addRecord(store, 'post', post, anOrigin(name))))) return;
  const [found] = await store.read.posts([id]);
  if (found?.record.message !== message) print(`read missing ${message} 0`);
  if (number % 3 === 0) await answered('erase', message, () => erase(store, id));
}

/** Posts one to five at once. None of them is one that `write` would erase. */
async function writeBatch(): Promise<void> {
  const numbers = Array.from({ length: 1 + (written % 5) }, () => (written += 3) - 2);
  await Promise.all(
    numbers.map((number) => {
      const post = aPost(`${name}-${number}.`);
      return answered('post', post.message, () => addRecord(store, 'post', post, anOrigin(name)));
    }),
  );
}

async function writeWithin(limit: number): Promise<void> {
  const origin = anOrigin('shared client', { limitScope: 'porch' });
  await addLimitedPost(store, `limited ${name}`, origin, { windowMs: 60_000, limit });
}

/** As the command does: some hundred records at a time. */
async function importMany(count: number): Promise<void> {
  for (let from = 0; from < count; from += IMPORTED_AT_ONCE) {
    const entries = Array.from({ length: Math.min(IMPORTED_AT_ONCE, count - from) }, (_, index) => {
      const createdAt = `2026-01-01T00:00:00.${String(from + index).padStart(6, '0')}Z`;
      return { kind: 'post', record: { ...aPost(`older ${from + index}`), createdAt } } as ExportedRecord;
    });
    await importEntries(store, entries);
  }
  print(`imported ${count}`);
}

const lanes = (count: number, work: () => Promise<void>): Promise<unknown> =>
  Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let number = 0; number < count; number++) await work();
    }),
  );

const COMMANDS: Record<string, (count: number) => Promise<unknown>> = {
  /** Four writers at once. */
  write: (count) => lanes(count, write),
  /** One writer with one connection. */
  post: async (count) => {
    for (let number = 0; number < count; number++) await write();
  },
  /** One writer of several posts at once, some times a second. */
  batches: async (count) => {
    for (let number = 0; number < count; number++) {
      await writeBatch();
      await sleep(BATCH_PAUSE_MS);
    }
  },
  limit: (limit) => Promise.allSettled(Array.from({ length: 20 }, () => writeWithin(limit))),
  import: importMany,
  show: async () => {
    const page = await store.read.page('post', { order: 'oldest', limit: 1_000_000 });
    print(JSON.stringify(page.map(({ record }) => record)));
  },
};

print('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [command = '', count = '0'] = line.split(' ');
  await COMMANDS[command]?.(Number(count));
  print('done');
}
await store.close();
