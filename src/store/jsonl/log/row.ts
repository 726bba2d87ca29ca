import type { StoredOperation } from './line.ts';

/** A line that counts. */
export interface Row {
  readonly seq: number;
  readonly do: StoredOperation;
  /** Number of the segment. */
  readonly log: number;
  readonly at: number;
  readonly bytes: Buffer;
}
