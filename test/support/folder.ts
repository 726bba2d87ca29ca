import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Cleanup {
  after: (fn: () => Promise<void>) => void;
}

/** Creates a folder on the real disk, which is removed after the test. */
export async function temporaryFolder(test: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
  // A process that the test has started may still write into it: hooks run in order, and one that fails ends
  // them.
  test.after(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return folder;
}
