import type { Change, Kind } from '#store/port/store.ts';

export type RecordKind = Kind;

/** A change that readers can see. */
export interface VisibleChange {
  readonly action: Change['action'];
  readonly kind: RecordKind;
  /**
   * The record, and the records whose pages show or count it: its project, or the posts that it replies to.
   */
  readonly ids: readonly string[];
}
