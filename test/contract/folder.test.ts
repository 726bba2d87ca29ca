import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { testStore } from './store.ts';

const root = mkdtempSync(join(tmpdir(), 'porchlight-'));
after(() => {
  rmSync(root, { recursive: true, force: true });
});

testStore('the folder engine', ({ clock, location }) =>
  openFolderStore({ folder: join(root, location), clock, report: () => undefined }),
);
