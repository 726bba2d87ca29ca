import { rmSync } from 'node:fs';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Store } from '#store/store.ts';
import { copyFolder } from '../copy.ts';
import { TEXT, type Ask } from '../writers.ts';

const [filled, folder, size] = process.argv.slice(2) as [string, string, string];
const MOST_WRITTEN = Number(size) / 2;

let store: Store | undefined;
let written = Infinity;
let ids = 0;

/** A store that was written to for long is no longer of its size, so that it is begun again as it was. */
async function fresh(): Promise<Store> {
  if (store !== undefined && written <= MOST_WRITTEN) return store;
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
  copyFolder(filled, folder);
  written = 0;
  // No garbage is collected by force here: compiled code would go with it, and the writes after it be a fifth slower.
  store = await openJsonlStore({ folder, clock: { now: () => Date.now() }, report: () => undefined });
  return store;
}

function post(into: Store): Promise<unknown> {
  written++;
  const id = `post_019d0000-0000-7000-8000-${(++ids).toString(16).padStart(12, '0')}`;
  return into.write((writer) =>
    writer.append('post', { id, message: TEXT, prefix: 'RESULT', parentId: null, rootId: id, answers: [] }),
  );
}

async function answer({ writers, each }: Ask): Promise<number[]> {
  const into = await fresh();
  const all: number[] = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let n = 0; n < each; n++) {
        const begun = performance.now();
        await post(into);
        all.push(performance.now() - begun);
      }
    }),
  );
  return writers === 1 ? all : [performance.now() - start];
}

process.on('message', (ask: Ask) => {
  void answer(ask).then((times) => process.send!(times));
});
