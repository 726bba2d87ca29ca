import type { RecordLookup } from '#store/port/lookups.ts';
import { parentIdOf, type ExportedRecord, type ModerationEntry } from '#store/port/records.ts';
import type { Decision, Store, WriteOperation } from '#store/port/store.ts';

/**
 * `stored`: the entry was new. `known`: the store has the record or has erased it, or has the moderation with
 * this timestamp, record and action. `taken`: another record of the kind has the timestamp. Only `stored`
 * entries change the store.
 */
export type ImportOutcome = 'stored' | 'known' | 'taken';

/**
 * Stores an entry of another store unchanged, with its id and timestamp. Entries that are submitted at once
 * are stored in the order of the calls.
 * @param signal if it aborts before the entry is decided, the promise rejects with its reason
 * @throws StoreFailure
 */
export function importEntry(
  store: Store,
  entry: ExportedRecord | ModerationEntry,
  signal?: AbortSignal,
): Promise<ImportOutcome> {
  if ('action' in entry) {
    const { at, id, action } = entry;
    const lookups = { record: lookUp(id), isKnown: { type: 'moderation', at, id, action } } as const;
    return store.write(lookups, ({ isKnown }): Decision<ImportOutcome> => {
      signal?.throwIfAborted();
      return isKnown ? { result: 'known' } : { result: 'stored', operation: entry };
    });
  }
  const { kind, record } = entry;
  const parentId = parentIdOf(record);
  const lookups = {
    known: lookUp(record.id),
    parent: parentId === null ? undefined : lookUp(parentId),
    isTaken: { type: 'recordTimestamp', kind, at: record.createdAt },
  } as const;
  return store.write(lookups, ({ known, isTaken }): Decision<ImportOutcome> => {
    signal?.throwIfAborted();
    if (known !== undefined) return { result: 'known' };
    if (isTaken) return { result: 'taken' };
    return { result: 'stored', operation: { action: 'add', kind, record } as WriteOperation };
  });
}

const lookUp = (id: string): RecordLookup => ({ type: 'record', id });
