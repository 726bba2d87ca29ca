import type { Change, Kind, Store } from '#store/port/store.ts';

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

/**
 * Calls the listener after every change by this or another process, once a reader can see it.
 * @returns a function that stops the calls
 */
export function watchChanges(
  store: Pick<Store, 'watch'>,
  listener: (change: VisibleChange) => void,
): () => void {
  return store.watch(({ action, kind, id, ancestors }) => {
    listener({ action, kind, ids: [id, ...ancestors] });
  });
}
