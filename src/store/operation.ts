import type { Visit } from './ledger.ts';
import type { Kind, Records, Stamp } from './records.ts';

/** A record comes into being. `visit` is missing where nobody needs to know, or may know any more, who wrote it. */
export type Addition = {
  [K in Kind]: { action: 'add'; kind: K; record: Records[K]; visit?: Visit | undefined };
}[Kind];

/** An operator takes a record out of sight, or brings it back. */
export interface Moderation {
  action: 'hide' | 'unhide';
  id: string;
  at: Stamp;
  reason: string;
}

/** What a work decided; a list of these is what an engine keeps. */
export type Operation = Addition | Moderation;

/** @returns when it was decided; unique in a store, and later than all before it. */
export function stampOf(operation: Operation): Stamp {
  return operation.action === 'add' ? operation.record.createdAt : operation.at;
}
