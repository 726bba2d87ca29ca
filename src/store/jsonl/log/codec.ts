import type { WriteEntry } from '#store/engine/write-history.ts';
import {
  isFreezeOperation,
  type AddOperation,
  type FreezeOperation,
  type Moderation,
  type Operation,
} from '#store/engine/operation.ts';
import { kindOf, type Kind, type Records, type Timestamp } from '#store/records.ts';
import type { DayKeys } from '#store/jsonl/visitor-keys.ts';

/** An operation as it stands in a line of the log; `by` is sealed. */
type Written =
  | { add: Kind; record: Records[Kind]; by?: string }
  | { moderate: Moderation['action']; id: string; at: Timestamp; reason: string; by?: string }
  | { turn: FreezeOperation['action']; at: Timestamp };

function toWritten(operation: Operation, keys: DayKeys): Written {
  if (isFreezeOperation(operation)) return { turn: operation.action, at: operation.at };
  const { visit } = operation;
  const by = visit === undefined ? {} : { by: keys.seal(visit) };
  if (operation.action === 'add') return { add: operation.kind, record: operation.record, ...by };
  return { moderate: operation.action, id: operation.id, at: operation.at, reason: operation.reason, ...by };
}

function toOperation(written: Written, keys: DayKeys): Operation {
  if ('turn' in written) return { action: written.turn, at: written.at };
  const visitOf = (kind: Kind, id: string): WriteEntry | undefined =>
    written.by === undefined ? undefined : keys.open(written.by, kind, id);
  if ('moderate' in written) {
    const { moderate: action, id, at, reason } = written;
    return { action, id, at, reason, visit: visitOf(kindOf(id), id) };
  }
  const { add: kind, record } = written;
  return { action: 'add', kind, record, visit: visitOf(kind, record.id) } as AddOperation;
}

/** @returns the body of the line of an operation. @throws Error if the key of its write entry is not loaded */
export function encodeOperation(operation: Operation, keys: DayKeys): string {
  return `"do":${JSON.stringify([toWritten(operation, keys)])}`;
}

/** @param line what `do` held; keys it needs must be loaded, or the visits are left out */
export function decodeOperations(line: readonly unknown[], keys: DayKeys): Operation[] {
  return (line as readonly Written[]).map((written) => toOperation(written, keys));
}

/** @returns whether a visit in the line is sealed with a key that may be there and is not loaded. */
export function lacksKey(line: readonly unknown[], keys: DayKeys): boolean {
  return (line as readonly Written[]).some((written) => 'by' in written && keys.lacks(written.by ?? ''));
}
