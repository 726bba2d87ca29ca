import { mkdtempSync, rmSync } from 'node:fs';
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

testStore('the JSONL engine with rows of few lines, deleted before some starts', ({ clock, location }) => {
  const folder = join(root, location);
  if (random.below(3) === 0)
    rmSync(join(folder, 'rows'), { recursive: true, force: true, maxRetries: 9, retryDelay: 5 });
  const rows = { linesPerFile: 2, intervalMs: 1 };
  return openJsonlStore({ folder, clock, report: () => undefined, rows });
});
