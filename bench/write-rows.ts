import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { LINES_PER_FILE } from '#store/jsonl/rows/rows-folder.ts';
import { CLOCK } from './seed.ts';

const POLL_MS = 50;

/** Writes the folder `rows` of a store, as its first server does in the background. */
export async function writeRows(folder: string): Promise<void> {
  const rows = { linesPerFile: LINES_PER_FILE, intervalMs: 1 };
  const store = await openJsonlStore({ folder, clock: CLOCK, report: () => undefined, rows });
  const { posts } = await store.read.totals();
  const path = join(folder, 'rows');
  const count = (): number =>
    existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.rows')).length : 0;
  while (count() < Math.floor(posts / LINES_PER_FILE)) await sleep(POLL_MS);
  await store.close();
}
