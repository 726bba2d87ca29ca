import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { anOrigin } from './records.ts';
import { addLimitedPost, addPost } from './writes.ts';

// A process with the store open. It runs one command per line of standard input and prints one line per
// acknowledged write, then `done`.
const [folder = '', name = ''] = process.argv.slice(2);
/** Synchronous, so that a process which is killed has printed what it acknowledged. Waits while the pipe is full. */
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
const store = await openFolderStore({ folder, clock: { now: () => Date.now() }, report: print });

let written = 0;

async function write(): Promise<void> {
  const text = `${name}-${(written += 1)}`;
  await addPost(store, text, anOrigin(name));
  print(text);
}

async function writeWithin(limit: number): Promise<void> {
  const origin = anOrigin('shared client', { limitScope: 'porch' });
  await addLimitedPost(store, `limited ${name}`, origin, { windowMs: 60_000, limit });
}

const COMMANDS: Record<string, (count: number) => Promise<unknown>> = {
  write: (count) =>
    Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let number = 0; number < count; number++) await write();
      }),
    ),
  limit: (limit) => Promise.allSettled(Array.from({ length: 20 }, () => writeWithin(limit))),
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
