import { beginSegment } from './begin-segment.ts';
import { identityOf } from './codec.ts';
import { loadLog } from './load.ts';
import type { LogState } from './log-state.ts';
import { followSeal } from './next-segment.ts';
import { readLines } from './read-lines.ts';
import type { CountedLine } from './line.ts';
import { scanSegment, SegmentContinued, type ScanResult } from './scan.ts';

/**
 * Reads what was appended, and hands it to the consumer once it is synced. If the sync fails, goes on in a
 * new segment; if that fails too, the lines are handed over nevertheless, since other processes may have
 * acknowledged them.
 * @throws CorruptionError
 */
export async function catchUp(state: LogState): Promise<void> {
  if (!state.hasMoved()) return;
  if (state.segments.length === 0) {
    // An earlier attempt to read the whole log again has failed.
    await readAnew(state);
    return;
  }
  const lines: CountedLine[] = [];
  const result = await scanCurrent(state, lines);
  if (result === undefined || result.seal !== undefined) {
    await followSeal(state, result?.seal);
    return;
  }
  const replaced = result.proved >= state.unproved ? firstReplaced(state) : undefined;
  if (replaced !== undefined) {
    state.context.consumer.replaced(replaced);
    await readAnew(state);
    return;
  }
  const isSynced = lines.length === 0 || (await state.sync());
  if (!isSynced && (await hasBegunSegment(state))) return;
  for (const line of lines) state.accept(line);
  state.finishScan(result);
  if (result.proved >= state.unproved) state.unproved = 0;
  if (state.unproved === 0 && !state.syncFailed) state.base = state.seq;
}

async function readAnew(state: LogState): Promise<void> {
  const seal = await loadLog(state);
  if (seal !== undefined) await followSeal(state, seal);
}

/**
 * Looks whether the lines that were read and not known to be synced are in the file. After a failed sync of
 * their writer the system may have dropped them; a process that came later did not see them, gave their
 * numbers to its own lines, and proves those.
 * @returns the number of the first line that is not there; undefined if all are
 */
function firstReplaced(state: LogState): number | undefined {
  const count = Math.max(0, state.unproved - state.base);
  const seqs = Array.from({ length: count }, (_, index) => state.base + 1 + index);
  const lines = readLines(state, seqs);
  return seqs.find((seq, index) => {
    const stored = lines[index];
    return stored === undefined || !state.isKnown({ seq, identity: identityOf(stored) });
  });
}

/** @returns undefined if the store continues in a segment to which no seal leads */
async function scanCurrent(state: LogState, lines: CountedLine[]): Promise<ScanResult | undefined> {
  const { header } = state.current;
  try {
    const result = await scanSegment(state.sourceOf(state.file, header), state.position, (line) =>
      lines.push(line),
    );
    // What cannot be read may have been the seal.
    const isUnclear = result.seal === undefined && (result.suspicious || result.fragment > 0);
    return isUnclear && (await state.hasSegment(header.number + 1)) ? undefined : result;
  } catch (error) {
    if (error instanceof SegmentContinued) return undefined;
    throw error;
  }
}

async function hasBegunSegment(state: LogState): Promise<boolean> {
  try {
    await beginSegment(state);
    return true;
  } catch {
    return false;
  }
}
