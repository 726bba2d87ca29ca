import { rmSync } from 'node:fs';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Store } from '#store/port/store.ts';
import { copyFolder } from '../copy.ts';
import { writeResult } from '../result-post.ts';
import type { WriteBatch } from '../writers.ts';

const [template, folder, size] = process.argv.slice(2) as [string, string, string];
const MAX_WRITTEN = Number(size) / 2;

let store: Store | undefined;
let written = Infinity;
let ids = 0;

/** After many writes the store has outgrown its size, so it is replaced by a new copy. */
async function openFresh(): Promise<Store> {
  if (store !== undefined && written <= MAX_WRITTEN) return store;
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
  copyFolder(template, folder);
  written = 0;
  // No forced garbage collection: it would discard compiled code and slow the next writes by a fifth.
  store = await openFolderStore({ folder, clock: { now: () => Date.now() }, report: () => undefined });
  return store;
}

function post(target: Store): Promise<unknown> {
  written++;
  const id = `post_019d0000-0000-7000-8000-${(++ids).toString(16).padStart(12, '0')}`;
  return writeResult(target, id);
}

async function measure({ writers, each }: WriteBatch): Promise<number[]> {
  const target = await openFresh();
  const times: number[] = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let n = 0; n < each; n++) {
        const begin = performance.now();
        await post(target);
        times.push(performance.now() - begin);
      }
    }),
  );
  return writers === 1 ? times : [performance.now() - start];
}

process.on('message', (batch: WriteBatch) => {
  void measure(batch).then((times) => process.send!(times));
});
