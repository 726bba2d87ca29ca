import type { Store } from '#store/store.ts';
import type { ResultCache } from '#tool/result-cache.ts';

/** Drops cached results when a text was erased, by whichever process: no later read may come to let them go. */
export function clearOnErase(store: Pick<Store, 'watch'>, results: ResultCache): void {
  store.watch(({ action }) => {
    if (action === 'erase') results.clear();
  });
}
