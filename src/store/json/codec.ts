import type { Addition, Moderation, Operation } from '#store/operation.ts';
import type { Kind, Records, Stamp } from '#store/records.ts';
import type { DayKeys } from './day-keys.ts';

/** An operation as it stands in a line of the log; `by` is sealed. */
type Written =
  | { add: Kind; record: Records[Kind]; by?: string }
  | { hide: string; at: Stamp; reason: string }
  | { unhide: string; at: Stamp; reason: string };

async function toWritten(operation: Operation, keys: DayKeys): Promise<Written> {
  if (operation.action !== 'add') return toWrittenModeration(operation);
  const { kind: add, record, visit } = operation;
  return visit === undefined ? { add, record } : { add, record, by: await keys.seal(visit) };
}

function toWrittenModeration({ action, id, at, reason }: Moderation): Written {
  return action === 'hide' ? { hide: id, at, reason } : { unhide: id, at, reason };
}

function toOperation(written: Written, keys: DayKeys): Operation {
  if ('hide' in written) return { action: 'hide', id: written.hide, at: written.at, reason: written.reason };
  if ('unhide' in written) return { action: 'unhide', id: written.unhide, at: written.at, reason: written.reason };
  const { add: kind, record, by } = written;
  const visit = by === undefined ? undefined : keys.open(by, kind, record.id);
  return { action: 'add', kind, record, visit } as Addition;
}

/** @returns the body of the line that keeps these operations. */
export async function encodeOperations(operations: readonly Operation[], keys: DayKeys): Promise<string> {
  const written: Written[] = [];
  for (const operation of operations) written.push(await toWritten(operation, keys));
  return `"do":${JSON.stringify(written)}`;
}

/** @param line what `do` held; keys it needs must be loaded, or the visits are left out */
export function decodeOperations(line: readonly unknown[], keys: DayKeys): Operation[] {
  return (line as readonly Written[]).map((written) => toOperation(written, keys));
}

/** @returns whether a visit in the line is sealed with a key that may be there and is not loaded. */
export function lacksKey(line: readonly unknown[], keys: DayKeys, now: number): boolean {
  return (line as readonly Written[]).some((written) => 'by' in written && keys.lacks(written.by ?? '', now));
}
