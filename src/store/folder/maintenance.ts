import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '#store/engine/timestamp.ts';
import type { Post } from '#store/port/records.ts';
import type { FolderStoreOptions } from './open-log.ts';
import { readTexts, type Source } from './records.ts';

/** Calls a function every hour, and at midnight UTC, when a key expires. @returns a function that ends it */
export function startSweeping(clock: FolderStoreOptions['clock'], sweep: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  const scheduleNext = (): void => {
    const untilMidnight = DAY_MS - (clock.now() % DAY_MS);
    timer = setTimeout(
      () => {
        void sweep();
        scheduleNext();
      },
      Math.min(HOUR_MS, untilMidnight),
    ).unref();
  };
  scheduleNext();
  return () => {
    clearTimeout(timer);
  };
}

/** A server answers its first requests before it indexes posts. */
const INDEX_INTERVAL_MS = 1000;
/** Posts that are indexed between two pauses. Short posts take less time than the pause. */
const INDEX_BATCH = 32;
const INDEX_PAUSE_MS = 1;

/** Adds word filters of posts that have none, in the background. @returns a function that ends it */
export function startIndexing(source: Source): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const indexAll = async (): Promise<void> => {
    while (!isStopped) {
      const { withoutWords, words } = await source.currentState();
      const batch = withoutWords.splice(-INDEX_BATCH).filter(({ presence }) => presence === 'there');
      const records = readTexts(source, batch);
      for (const [index, post] of batch.entries()) words.add(post, records[index] as Post);
      if (withoutWords.length === 0) return;
      await sleep(INDEX_PAUSE_MS, undefined, { ref: false });
    }
  };
  const scheduleNext = (): void => {
    if (isStopped) return;
    // If another process erases a text of a batch, the posts of the batch stay without filters, and searches
    // compare their texts.
    const run = (): void =>
      void indexAll()
        .catch(() => undefined)
        .then(scheduleNext);
    timer = setTimeout(run, INDEX_INTERVAL_MS).unref();
  };
  scheduleNext();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
