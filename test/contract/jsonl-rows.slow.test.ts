import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { SeededRandom } from '../torture/support/random.ts';
import { testStore } from './store.ts';

const root = mkdtempSync(join(tmpdir(), 'porchlight-'));
after(() => {
  rmSync(root, { recursive: true, force: true });
});

const random = new SeededRandom(20261122);
let deletions = 0;

testStore('the JSONL engine with rows of few lines, deleted before some starts', ({ clock, location }) => {
  const folder = join(root, location);
  if (random.below(3) === 0) moveAway(join(folder, 'rows'));
  const rows = { linesPerFile: 2, intervalMs: 1 };
  return openJsonlStore({ folder, clock, report: () => undefined, rows });
});

/** In one step: another store may write files there, and a folder that is not empty cannot be deleted. */
function moveAway(folder: string): void {
  if (existsSync(folder)) renameSync(folder, join(root, `deleted-${(deletions += 1)}`));
}
