import type { Store } from '#store/port/store.ts';
import type { ResultCache } from '#tool/result-cache.ts';

/**
 * Clears the cache when any process erases a text. Otherwise entries of the old revision would stay in memory
 * until the next read.
 */
export function clearOnErase(store: Pick<Store, 'watch'>, results: ResultCache): void {
  store.watch(({ action }) => {
    if (action === 'erase') results.clear();
  });
}
