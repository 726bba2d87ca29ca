import type { WriteEntry } from './write-history.ts';
import type { Kind, ModerationEntry, Records, Timestamp } from '#store/port/records.ts';
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
