import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { testStore } from './store.ts';

const root = mkdtempSync(join(tmpdir(), 'porchlight-'));
after(() => {
  rmSync(root, { recursive: true, force: true });
});

testStore('the JSONL engine', ({ clock, location }) =>
  openJsonlStore({ folder: join(root, location), clock, report: () => undefined }),
);
