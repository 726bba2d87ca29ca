import { kindOf, type AnyRecord } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type { RecordIndex } from './record-index.ts';
import { withTexts } from './stored-records.ts';

const BATCH_SIZE = 64;

/**
 * Reads the whole store. A record that is erased during the read is left out.
 * @param currentIndex as of `createReader`
 * @throws TextUnavailable
 */
export async function* readHistory(currentIndex: () => Promise<RecordIndex>): ReturnType<Reader['history']> {
  const { orders, table } = await currentIndex();
  const records = orders.records();
  for (let start = 0; start < records.length; start += BATCH_SIZE) {
    const ids = records.slice(start, start + BATCH_SIZE).map((record) => table.ids.idOf(record));
    const found = await withTexts(async () => recordsWith(await currentIndex(), ids));
    for (const record of found) yield { kind: kindOf(record.id), record };
  }
  // Only now, so that an erase of a record which was left out is among them.
  const { moderations } = await currentIndex();
  for (const { action, id, at, reason } of moderations.all()) yield { action, id, at, reason };
}

function recordsWith(index: RecordIndex, ids: readonly string[]): AnyRecord[] {
  return index.readRecords(ids.filter((id) => index.has(id)).map((id) => index.table.ids.find(id)));
}
