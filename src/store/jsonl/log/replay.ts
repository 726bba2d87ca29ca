import { timestampOf } from '#store/engine/operation.ts';
import type { Timestamp } from '#store/records.ts';
import { RecordIndex } from '#store/memory/record-index.ts';
import type { Change } from '#store/store.ts';
import { expiryTime } from '#store/jsonl/expiry-time.ts';
import { decodeOperations } from './codec.ts';
import type { DayKeys } from '#store/jsonl/visitor-keys.ts';
import { START, type Log, type Position } from './log.ts';

export interface Loaded {
  readonly state: RecordIndex;
  readonly at: Position;
  /** What was decided after `since`. */
  readonly news: readonly Change[];
}

/**
 * Reads a whole log into a new state, and makes sure that no power cut takes back what was read.
 * @param since the last stamp that is no news; without it nothing is
 */
export async function load(log: Log, keys: DayKeys, now: number, since?: Timestamp): Promise<Loaded> {
  const state = new RecordIndex();
  const news: Change[] = [];
  await keys.load();
  const at = await log.read(START, (line) => {
    for (const operation of decodeOperations(line.do, keys)) {
      const change = state.apply(operation, 0);
      if (change !== undefined && since !== undefined && timestampOf(operation) > since) news.push(change);
    }
  });
  // Only now is it known how far the log reaches.
  state.writeHistory.prune(expiryTime(now, state.lastTimestamp));
  await log.sync();
  return { state, at, news };
}
