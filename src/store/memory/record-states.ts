import { isFreezeOperation, type Operation } from '#store/engine/operation.ts';
import { ancestorsOf, ERASED, type AwaitedRecord } from '#store/engine/record-state.ts';
import { kindOf } from '#store/port/records.ts';
import type { Change, ErasedRecord, RecordState } from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import type { RecordIndex } from './record-index.ts';

/** @returns what a write is decided on, which needs no text; undefined if there never was such a record */
export function findState(index: RecordIndex, id: string): RecordState | ErasedRecord | undefined {
  const { table } = index;
  const number = table.ids.find(id);
  if (!table.isThere(number)) return table.isErased(number) ? ERASED : undefined;
  return {
    ...toAwaited(index, number),
    kind: table.kindOf(number),
    parentId: findId(index, table.parentOf(number)),
    rootId: findId(index, table.rootOf(number)),
    prefix: table.prefixOf(number),
    ancestors: findAncestors(index, number),
  };
}

/** @returns what is known of a record that has not arrived; undefined if nothing is */
export function findAwaited(index: RecordIndex, id: string): AwaitedRecord | undefined {
  const number = index.table.ids.find(id);
  return number === NONE ? undefined : toAwaited(index, number);
}

/**
 * @param wasThere whether the record of a moderation was there before it
 * @returns the change that an operation made, which was applied before; undefined for a freeze or thaw
 */
export function toChange(index: RecordIndex, operation: Operation, wasThere: boolean): Change | undefined {
  if (isFreezeOperation(operation)) return undefined;
  const isAdded = operation.action === 'add';
  const id = isAdded ? operation.record.id : operation.id;
  const ancestors = isAdded || wasThere ? findAncestors(index, index.table.ids.find(id)) : [];
  return { action: operation.action, kind: kindOf(id), id, ancestors };
}

/** @returns as `Change.ancestors`, of an erased record too */
function findAncestors(index: RecordIndex, record: number): readonly string[] {
  const { table, takers } = index;
  const parent = table.parentOf(record);
  const grandparent = table.isThere(parent) ? table.parentOf(parent) : NONE;
  const named: string[] = [];
  takers.forEachReference(record, (_, target) => named.push(table.ids.idOf(target)));
  const root = findId(index, table.rootOf(record));
  return ancestorsOf(findId(index, parent), findId(index, grandparent), root, named);
}

function findId({ table }: RecordIndex, record: number): string | null {
  return record === NONE ? null : table.ids.idOf(record);
}

function toAwaited({ table, children }: RecordIndex, number: number): AwaitedRecord {
  return {
    status: table.isHidden(number) ? 'hidden' : 'visible',
    moderatedAt: table.moderatedAt(number),
    children: children.size(number),
  };
}
