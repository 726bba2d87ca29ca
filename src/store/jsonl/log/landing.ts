import { StoreFailure } from '#store/store.ts';
import { identityOf } from './codec.ts';
import { decodeLine, isBlank } from './line.ts';
import type { AcceptedLine, LogState } from './log-state.ts';

/**
 * Where a write landed. `elsewhere`: behind lines of another process. `unknown`: what stands at the expected
 * place cannot be read, so it may be what was written.
 */
export type Landing = { readonly written: number } | 'elsewhere' | 'unknown';

/** Appends bytes and finds out where they landed. @throws StoreFailure if nothing was written */
export async function land(
  state: LogState,
  bytes: Buffer,
  accepted: readonly AcceptedLine[],
): Promise<Landing> {
  const { file, size: start } = state;
  let written: number;
  try {
    written = await file.append(bytes);
  } catch (error) {
    // A failed write may have written all the same.
    if (file.size > start) return 'unknown';
    throw new StoreFailure('nothing', error instanceof Error ? error.message : 'the disk failed', {
      cause: error,
    });
  }
  const landing = file.size === start + written ? { written } : await whereLanded(state, written, accepted);
  // Meanwhile readers of this process need not wait for the sync.
  if (typeof landing === 'object') state.inFlight = start + written;
  return landing;
}

async function whereLanded(
  state: LogState,
  written: number,
  [first]: readonly AcceptedLine[],
): Promise<Landing> {
  if (first === undefined) return 'elsewhere';
  const { file } = state;
  const bytes = await file.read(first.at, Math.min(first.length, file.size - first.at));
  const line = decodeLine(bytes, state.current.header.seed);
  if (line === undefined) return (await isReadable(state, first.at)) ? 'elsewhere' : 'unknown';
  const isOwn = 'do' in line && line.at === first.at && line.seq === first.seq;
  return isOwn && identityOf(line.do) === first.identity ? { written } : 'elsewhere';
}

/** Whether the piece at an offset is a line or blank. */
async function isReadable(state: LogState, at: number): Promise<boolean> {
  let isReadable = false;
  await state.file.readPieces(at, ({ bytes }) => {
    isReadable =
      bytes !== undefined && (isBlank(bytes) || decodeLine(bytes, state.current.header.seed) !== undefined);
    return false;
  });
  return isReadable;
}
