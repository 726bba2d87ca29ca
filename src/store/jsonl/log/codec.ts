import {
  isFreezeOperation,
  type AddOperation,
  type ErasedAddition,
  type Moderation,
  type Operation,
} from '#store/engine/operation.ts';
import type { WriteEntry } from '#store/engine/write-history.ts';
import { kindOf, type AnyRecord, type Kind } from '#store/port/records.ts';
import type { FreezeOperation } from '#store/port/store.ts';
import type { StoredOperation, StoredRecord } from './line.ts';

/** Encrypts write entries, and decrypts them while their key exists. */
export interface WriteEntryCipher {
  seal(entry: WriteEntry): string;
  /** @returns undefined if the key is not loaded or was destroyed */
  open(sealed: string, kind: Kind, id: string): WriteEntry | undefined;
}

/** The fields that remain when a record is erased. All others are texts. */
const STRUCTURE = ['id', 'projectId', 'parentId', 'rootId', 'createdAt'];

/** @returns what a line holds of the operation; an erase does not name its target yet */
export function toStored(operation: Operation, cipher: Pick<WriteEntryCipher, 'seal'>): StoredOperation {
  if (isFreezeOperation(operation)) return { turn: operation.action, at: operation.at };
  const by = operation.writeEntry === undefined ? {} : { by: cipher.seal(operation.writeEntry) };
  if (operation.action === 'add') {
    return { add: operation.kind, ...by, record: { ...operation.record } };
  }
  const { action: moderate, id, at, reason } = operation;
  return { moderate, id, at, reason, ...by };
}

/** @returns the body of the line. The texts of an added record come last, so that they can be blanked. */
export function encodeBody(stored: StoredOperation): string {
  if (!('add' in stored)) return `"do":${JSON.stringify(stored)}`;
  const { record, ...rest } = stored;
  return `"do":${JSON.stringify(rest).slice(0, -1)},"record":${encodeRecord(record)}}`;
}

/** Absent fields of the structure are undefined, which JSON leaves out. */
function encodeRecord({ id, projectId, parentId, rootId, createdAt, ...texts }: StoredRecord): string {
  const structure = JSON.stringify({ id, projectId, parentId, rootId, createdAt });
  return `${structure.slice(0, -1)},${JSON.stringify(texts).slice(1)}`;
}

/** Write entries whose keys are not loaded are left out. */
export function decodeOperation(
  stored: StoredOperation,
  cipher: Pick<WriteEntryCipher, 'open'>,
): Operation | ErasedAddition {
  if ('turn' in stored) return { action: stored.turn, at: stored.at } as FreezeOperation;
  const id = 'add' in stored ? stored.record.id : stored.id;
  const writeEntry = stored.by === undefined ? undefined : cipher.open(stored.by, kindOf(id), id);
  if ('moderate' in stored) {
    const { moderate: action, at, reason } = stored;
    return { action, id, at, reason, writeEntry } as Moderation;
  }
  if (isErased(stored.record)) return { action: 'erased-add', id, at: stored.record.createdAt, writeEntry };
  return { action: 'add', kind: stored.add, record: toRecord(stored.record), writeEntry } as AddOperation;
}

function toRecord(stored: StoredRecord): AnyRecord {
  const { id, projectId, message, prefix, parentId, rootId, createdAt, ...texts } = stored;
  const note = projectId === undefined ? { id, ...texts, createdAt } : { id, projectId, ...texts, createdAt };
  const record =
    message === undefined ? note : { id, message, prefix, parentId, rootId, ...texts, createdAt };
  // The checksum of the line fits, so this is what `toStored` made of a record.
  return record as unknown as AnyRecord;
}

/** @returns the record that a line adds; undefined if it adds none, or its texts were removed */
export function recordIn(stored: StoredOperation | undefined): AnyRecord | undefined {
  if (stored === undefined || !('add' in stored) || isErased(stored.record)) return undefined;
  return toRecord(stored.record);
}

function isErased(record: object): boolean {
  for (const field in record) if (!STRUCTURE.includes(field)) return false;
  return true;
}

/** Whether a line holds an encrypted write entry. */
export function isSigned(stored: StoredOperation): boolean {
  return 'by' in stored;
}

/** @returns a string that no other operation of the store has, whatever became of its text and its place */
export function identityOf(stored: StoredOperation): string {
  if ('add' in stored) return stored.record.id;
  return 'turn' in stored ? `${stored.turn} ${stored.at}` : `${stored.moderate} ${stored.id} ${stored.at}`;
}
