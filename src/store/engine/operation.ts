import type { WriteEntry } from './write-history.ts';
import type { ErasedRecord, RecordState } from '#store/port/lookups.ts';
import {
  kindOf,
  parentIdOf,
  type AnyRecord,
  type Kind,
  type ModerationEntry,
  type Records,
  type Timestamp,
} from '#store/port/records.ts';
import { refersTo } from '#message/references.ts';
import type { FreezeOperation } from '#store/port/store.ts';

/** Adds a record. `writeEntry` is absent if no limit counts the write, or once the entry expired. */
export type AddOperation = {
  [K in Kind]: { action: 'add'; kind: K; record: Records[K]; writeEntry?: WriteEntry | undefined };
}[Kind];

/**
 * What is left of an added record whose text was removed: its write still counts against the limits. Only
 * a log has such an operation.
 */
export interface ErasedAddition {
  readonly action: 'erased-add';
  readonly id: string;
  readonly at: Timestamp;
  readonly writeEntry: WriteEntry | undefined;
}

/** An operator hides a record, shows it again, or removes its text. */
export interface Moderation extends ModerationEntry {
  /**
   * The write entry of an erased record: its add operation is gone, and the write still counts against the
   * limits.
   */
  writeEntry?: WriteEntry | undefined;
}

/** One change of the store. Every engine persists the operations of a write in order. */
export type Operation = AddOperation | Moderation | FreezeOperation;

/** @returns the time of the operation. Only an imported operation may share it with one of another kind. */
export function timestampOf(operation: Operation): Timestamp {
  return operation.action === 'add' ? operation.record.createdAt : operation.at;
}

/** Whether the operation is a freeze or a thaw. */
export function isFreezeOperation(operation: Operation): operation is FreezeOperation {
  return operation.action === 'freeze' || operation.action === 'thaw';
}

export const ERASED: ErasedRecord = { status: 'erased' };

/**
 * @param grandparentId the parent of the record's parent
 * @param named the posts that the text of a post names
 * @returns as `Change.ancestors`
 */
export function ancestorsOf(
  parentId: string | null,
  grandparentId: string | null | undefined,
  rootId: string | null,
  named: readonly string[],
): string[] {
  const above = parentId === null ? [] : [parentId, grandparentId, rootId];
  return [...new Set([...above, ...named].filter((id) => typeof id === 'string'))];
}

/** What is known of a record before it arrives: imported moderations and children may precede it. */
export type AwaitedRecord = Pick<RecordState, 'status' | 'moderatedAt' | 'children'>;

/** A record of which nothing has arrived. */
export const NOTHING_AWAITED: AwaitedRecord = { status: 'visible', moderatedAt: null, children: 0 };

/**
 * Of all hides and unhides of a record the one with the latest timestamp decides, of equal ones the one that
 * arrived last, whenever the record itself arrives. Only an imported one may be earlier than one that is
 * there.
 * @param record as it was before
 * @returns whether the record is hidden after the moderation
 */
export function isHiddenAfter(
  { status, moderatedAt }: Pick<RecordState, 'status' | 'moderatedAt'>,
  { action, at }: Pick<Moderation, 'action' | 'at'>,
): boolean {
  if (action === 'erase') return true;
  return isSuperseded(moderatedAt, at) ? status === 'hidden' : action === 'hide';
}

/** @returns the timestamp of the hide or unhide that decides after the moderation */
export function moderatedAtAfter(
  moderatedAt: Timestamp | null,
  { action, at }: Pick<Moderation, 'action' | 'at'>,
): Timestamp | null {
  return action === 'erase' || isSuperseded(moderatedAt, at) ? moderatedAt : at;
}

const isSuperseded = (moderatedAt: Timestamp | null, at: Timestamp): boolean =>
  moderatedAt !== null && at < moderatedAt;

/**
 * @param grandparentId the parent of the record's parent
 * @param awaited what was known of the record before it was added
 */
export function toRecordState(
  record: AnyRecord,
  grandparentId: string | null | undefined,
  { status, moderatedAt, children }: AwaitedRecord,
): RecordState {
  const parentId = parentIdOf(record);
  const rootId = 'rootId' in record ? record.rootId : null;
  return {
    status,
    kind: kindOf(record.id),
    parentId,
    rootId,
    prefix: 'prefix' in record ? record.prefix : null,
    moderatedAt,
    children,
    ancestors: ancestorsOf(parentId, grandparentId, rootId, 'message' in record ? refersTo(record) : []),
  };
}
