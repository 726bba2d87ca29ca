import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { writeResult } from '../result-post.ts';
import { LINE } from '../writers.ts';
import type { PostingTarget, PostingTime } from '../posting.ts';

const [target, path] = process.argv.slice(2) as [PostingTarget, string];

const write = await { append: openFile, store: openStore }[target]();

async function openFile(): Promise<() => Promise<unknown>> {
  const file = await open(path, 'a');
  return async () => {
    await file.write(LINE);
    await file.datasync();
  };
}

async function openStore(): Promise<() => Promise<unknown>> {
  const clock = { now: () => Date.now() };
  const store = await openFolderStore({ folder: path, clock, report: () => undefined });
  return () => writeResult(store, `post_${randomUUID()}`);
}

async function measure({ milliseconds, pauseMs }: PostingTime): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  for (let start = performance.now(); start < end; start = performance.now()) {
    await write();
    times.push(performance.now() - start);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  return times;
}

process.on('message', (time: PostingTime) => {
  void measure(time).then((times) => process.send!(times));
});
