import { kindOf, parentIdOf, type AnyRecord } from '#store/records.ts';
import type { ErasedRecord, RecordState } from '#store/store.ts';

export const ERASED: ErasedRecord = { status: 'erased' };

/**
 * @param grandparentId the parent of the record's parent
 * @returns as `Change.ancestors`
 */
export function ancestorsOf(
  parentId: string | null,
  grandparentId: string | null | undefined,
  rootId: string | null,
): string[] {
  if (parentId === null) return [];
  return [...new Set([parentId, grandparentId, rootId].filter((id) => typeof id === 'string'))];
}

/**
 * @param grandparentId the parent of the record's parent
 * @returns the state of a record that is visible and has no children
 */
export function toRecordState(record: AnyRecord, grandparentId: string | null | undefined): RecordState {
  const parentId = parentIdOf(record);
  const rootId = 'rootId' in record ? record.rootId : null;
  return {
    status: 'visible',
    kind: kindOf(record.id),
    parentId,
    rootId,
    prefix: 'prefix' in record ? record.prefix : null,
    answers: 'answers' in record ? record.answers : [],
    children: 0,
    ancestors: ancestorsOf(parentId, grandparentId, rootId),
  };
}
