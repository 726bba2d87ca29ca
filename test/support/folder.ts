import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Cleanup {
  after: (fn: () => Promise<void>) => void;
}

/** A folder of its own on the real disk, gone after the test. */
export async function temporaryFolder(test: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
  test.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
