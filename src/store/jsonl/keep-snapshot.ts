import { join } from 'node:path';
import { isError } from './fs/errors.ts';
import type { JsonlStoreOptions } from './jsonl-options.ts';
import type { LogAdapter } from './log-adapter.ts';
import { SNAPSHOT } from './log/snapshot.ts';

/** How often a server looks whether a snapshot is due. After an erase there is none. */
const LOOK_MS = 30_000;

/** A snapshot is due once more than this share of all lines came after it. */
const MAX_SHARE = 0.1;

/**
 * Writes the snapshot of a server: now and then, soon after an erase, and at a clean stop.
 * @param catchUp as of `LogAdapter.writeSnapshot`
 * @returns a function that stops the timer, and writes the last snapshot
 */
export function keepSnapshot(
  adapter: LogAdapter,
  catchUp: () => Promise<boolean>,
  { disk, folder, report }: JsonlStoreOptions,
): () => Promise<void> {
  let written = adapter.restoredSeq;
  let isReported = false;
  const writeIfDue = async (maxShare: number): Promise<void> => {
    const { seq } = adapter;
    try {
      const isThere = (await disk.identity(join(folder, SNAPSHOT))) !== undefined;
      if (seq === 0 || (isThere && seq - written <= maxShare * seq)) return;
      if (await adapter.writeSnapshot(catchUp)) written = seq;
    } catch (error) {
      // ENOENT: an erase has removed what was being written.
      if (isReported || isError(error, 'ENOENT')) return;
      isReported = true;
      report(`no snapshot can be written, so the next start takes longer: ${String(error)}`);
    }
  };
  let writing = Promise.resolve();
  const timer = setInterval(() => {
    writing = writing.then(() => writeIfDue(MAX_SHARE));
  }, LOOK_MS).unref();
  return async () => {
    clearInterval(timer);
    await writing;
    await writeIfDue(0);
  };
}
