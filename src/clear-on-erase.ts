import type { Store } from '#store/store.ts';
import type { ResultCache } from '#tool/result-cache.ts';

/**
 * Clears the cache when any process erases a text: without a later read the old revision would stay in
 * memory.
 */
export function clearOnErase(store: Pick<Store, 'watch'>, results: ResultCache): void {
  store.watch(({ action }) => {
    if (action === 'erase') results.clear();
  });
}
