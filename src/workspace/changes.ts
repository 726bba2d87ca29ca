import type { Change, Kind, Store } from '#store/store.ts';

export type RecordKind = Kind;

/** A change that readers can see. */
export interface VisibleChange {
  readonly action: Change['action'];
  readonly kind: RecordKind;
  /** The record, and those above it, whose pages show or count it: its project, or the posts it replies to. */
  readonly ids: readonly string[];
}

/**
 * Calls the listener after every change, of this process and of others, once a reader can see it.
 * @returns stops the calls
 */
export function watchChanges(
  store: Pick<Store, 'watch'>,
  listener: (change: VisibleChange) => void,
): () => void {
  return store.watch(({ action, kind, id, ancestors }) => {
    listener({ action, kind, ids: [id, ...ancestors] });
  });
}
