import type { CommittedState } from '#store/engine/write-engine.ts';
import type { AnyRecord } from '#store/port/records.ts';
import { NONE } from './columns/column.ts';
import { toTimeKey, toTimestamp } from './columns/time-key.ts';
import type { RecordIndex } from './record-index.ts';
import { findAwaited, findState } from './record-states.ts';

/**
 * The index in memory as writes are decided on it.
 * @param now wall-clock time in milliseconds since 1970
 */
export function createCommittedState(index: RecordIndex, now: number): CommittedState {
  const { table, threads, writeHistory, lastTimestamp, frozen } = index;
  return {
    now,
    lastTimestamp,
    frozen,
    record: (id) => findState(index, id),
    awaited: (id) => findAwaited(index, id),
    recentWriteTimes: (lookup) => writeHistory.recentWrites(lookup, now).map(({ at }) => at),
    findByKey: ({ kind, origin: { clientKey, key }, windowMs }) => {
      const found =
        key === null ? undefined : writeHistory.findByKey({ clientKey, kind }, key, now, windowMs);
      return found && { ...found, record: findRecord(index, found.id) };
    },
    findByContent: ({ kind, origin: { clientKey, content }, windowMs }) =>
      writeHistory.findByContent({ clientKey, kind }, content, now, windowMs),
    hasTimestamp: ({ kind, at }) => index.orders.hasTime(kind, toTimeKey(at)),
    lastOfThread: ({ id }) => {
      const post = table.ids.find(id);
      const last = post === NONE ? NONE : threads.last(table.rootOf(post));
      return last === NONE ? undefined : toTimestamp(table.timeOf(last));
    },
    hasModeration: (lookup) => index.moderations.has(lookup),
  };
}

/** @throws TextUnavailable */
function findRecord(index: RecordIndex, id: string): AnyRecord | undefined {
  const number = index.table.ids.find(id);
  return index.table.isThere(number) ? index.readRecords([number])[0] : undefined;
}
