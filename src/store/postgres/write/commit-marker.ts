import { isFreezeOperation, timestampOf, type Operation } from '#store/engine/operation.ts';
import type { Transaction } from '#store/postgres/connection/transaction.ts';

// What was added may have been erased since.
const ADDED = `select from entry where id = $1 and created_at = $2
  union all select from moderation where id = $1 and action = 'erase' and at > $2`;
const MODERATED = 'select from moderation where at = $1 and id = $2 and action = $3';
// A later freeze or thaw hides this one; to repeat it then does no harm.
const FROZEN_OR_THAWED = 'select from clock where turned = $1';

/**
 * Finds out what became of a transaction whose response was lost. Waits for the lock, so for every
 * transaction before it.
 * @param last the last operation of the batch
 * @returns whether the batch is in the database, which holds all of it then
 */
export async function isCommitted(transaction: Transaction, last: Operation): Promise<boolean> {
  const at = timestampOf(last);
  const rows = await (last.action === 'add'
    ? transaction.query(ADDED, [last.record.id, at])
    : isFreezeOperation(last)
      ? transaction.query(FROZEN_OR_THAWED, [at])
      : transaction.query(MODERATED, [at, last.id, last.action]));
  return rows.length > 0;
}
