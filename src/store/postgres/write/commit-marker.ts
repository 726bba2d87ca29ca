import type { Overlay } from '#store/engine/overlay.ts';
import { isFreezeOperation, timestampOf, type Operation } from '#store/engine/operation.ts';
import type { Transaction } from '#store/postgres/connection/transaction.ts';

/** By what a batch is found again: the last of what it kept. */
export type Mark = Operation;

// What was added may have been erased since.
const ADDED = `select from entry where id = $1 and created_at = $2
  union all select from moderation where id = $1 and action = 'erase' and at > $2`;
const MODERATED = 'select from moderation where at = $1';
// A later turn hides this one; to make it again then does no harm.
const TURNED = 'select from clock where turned = $1';

/** @returns undefined where nothing is to be kept. */
export function markOf({ operations }: Overlay): Mark | undefined {
  return operations.at(-1);
}

/** @returns whether the batch is in the database, all of it then. Waits for whoever still writes. */
export async function standsIn(transaction: Transaction, mark: Mark): Promise<boolean> {
  const at = timestampOf(mark);
  const rows =
    mark.action === 'add'
      ? await transaction.ask(ADDED, [mark.record.id, at])
      : await transaction.ask(isFreezeOperation(mark) ? TURNED : MODERATED, [at]);
  return rows.length > 0;
}
