import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '#store/port/store.ts';

/** Longer than the pauses of the background work. */
const QUIET_MS = 3000;

/** Prepares the search of a folder. Settles once the index of words grows no more. */
export async function prepareWholeSearch(store: Store): Promise<void> {
  store.prepareSearch();
  for (let before = -1, now = 0; now !== before; ) {
    before = now;
    await sleep(QUIET_MS);
    now = store.searchIndexBytes?.() ?? 0;
  }
}
