import { encodeLine, WRITE_START } from './line.ts';
import type { LogState } from './log-state.ts';
import { shortWriteError } from '#store/jsonl/fs/errors.ts';

/** Appends lines that take no number, and may stand anywhere in the segment. */
export async function appendMarks(state: LogState, bodies: readonly string[]): Promise<void> {
  const { file, size, seq, base, current } = state;
  let at = size + WRITE_START.length;
  const lines = bodies.map((body) => {
    const line = encodeLine({ at, seq, base }, body, current.header.seed);
    at += line.length;
    return line;
  });
  const bytes = Buffer.concat([WRITE_START, ...lines]);
  const written = await file.append(bytes);
  if (written < bytes.length) throw shortWriteError();
  if (file.size === size + written) state.size = file.size;
}

/** Asks the other processes to let this one go first. */
export function appendClaim(state: LogState): Promise<void> {
  return appendMarks(state, [`"claim":"${state.claimant}"`]);
}

/**
 * Appends a line which proves that everything up to `base` is synced. It is not synced itself.
 * @throws Error if the disk does not take it
 */
export async function appendProof(state: LogState): Promise<void> {
  if (state.unproved > 0 || state.syncFailed) return;
  await appendMarks(state, ['"proof":1']);
}
