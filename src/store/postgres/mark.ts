import type { Layer } from '#store/layer.ts';
import { stampOf, type Operation } from '#store/operation.ts';
import type { Transaction } from './transaction.ts';

/** By what a batch is found again: the last of what it kept. */
export type Mark = Operation;

// An addition may have been erased since; a turn may have been followed by another, and then it stood.
const STANDS = `select
  exists (select from entry where id = $1 and created_at = $2)
  or exists (select from moderation where id = $1 and action = 'erase')
  or exists (select from moderation where at = $2)
  or exists (select from clock where turned >= $2) as stands`;

/** @returns undefined where nothing is to be kept. */
export function markOf({ operations }: Layer): Mark | undefined {
  return operations.at(-1);
}

/** @returns whether the batch is in the database, all of it then. Waits for whoever still writes. */
export async function standsIn(transaction: Transaction, mark: Mark): Promise<boolean> {
  const id = 'record' in mark ? mark.record.id : 'id' in mark ? mark.id : '';
  const [found] = await transaction.ask<{ stands: boolean }>(STANDS, [id, stampOf(mark)]);
  return found?.stands === true;
}
