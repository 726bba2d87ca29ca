import type { WriteEntry } from './write-history.ts';
import type { Kind, Records, Stamp } from '#store/records.ts';

/** A record comes into being. `visit` is missing where nobody needs to know, or may know any more, who wrote it. */
export type Addition = {
  [K in Kind]: { action: 'add'; kind: K; record: Records[K]; visit?: WriteEntry | undefined };
}[Kind];

/** An operator takes a record out of sight, brings it back, or takes its text away for good. */
export interface Moderation {
  action: 'hide' | 'unhide' | 'erase';
  id: string;
  at: Stamp;
  reason: string;
  /** Beside an erasure whose record is gone: an erased write still counts against the limits. */
  visit?: WriteEntry | undefined;
}

/** An operator stops all writing, or lets it go on. */
export interface FreezeOperation {
  action: 'freeze' | 'thaw';
  at: Stamp;
}

/** What a work decided; a list of these is what an engine keeps. */
export type Operation = Addition | Moderation | FreezeOperation;

/** @returns when it was decided; unique in a store. */
export function timestampOf(operation: Operation): Stamp {
  return operation.action === 'add' ? operation.record.createdAt : operation.at;
}

export function isFreezing(operation: Operation): operation is FreezeOperation {
  return operation.action === 'freeze' || operation.action === 'thaw';
}
