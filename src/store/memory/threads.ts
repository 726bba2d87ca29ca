import type { RecordView, ThreadHead, ThreadPage, ThreadRange } from '#store/store.ts';
import { NONE } from './columns/int32-column.ts';
import { toTimestamp } from './columns/time-key.ts';
import { beforeKey } from './key-range.ts';
import type { RecordIndex } from './record-index.ts';

/** Posts that are taken from the index at once. */
const BATCH_SIZE = 256;

/** As `Reader.threads`. @throws TextUnavailable */
export function readThreads(index: RecordIndex, { before, limit, maxCandidates }: ThreadRange): ThreadPage {
  const { table, links, orders } = index;
  const last: number[] = [];
  const pageUntil = (examinedTo: string | null): ThreadPage => ({ items: headsOf(index, last), examinedTo });
  let examinedTo = beforeKey(before);
  for (let left = maxCandidates; left > 0; ) {
    const count = Math.min(left, BATCH_SIZE);
    const batch = orders.page('post', { order: 'newest', before: examinedTo, limit: count });
    for (const post of batch) {
      examinedTo = table.timeOf(post);
      if (!links.isLastOfThread(post)) continue;
      last.push(post);
      if (last.length === limit) return pageUntil(toTimestamp(examinedTo));
    }
    if (batch.length < count) return pageUntil(null);
    left -= count;
  }
  return pageUntil(examinedTo === undefined ? null : toTimestamp(examinedTo));
}

/** @param last the last visible posts of threads */
function headsOf(index: RecordIndex, last: readonly number[]): ThreadHead[] {
  const { table, links } = index;
  const shown = last.map((post) => {
    const root = table.rootOf(post);
    return table.isVisible(root) ? root : (links.thread(root, { order: 'oldest', limit: 1 })[0] ?? NONE);
  });
  return (index.viewsOf(shown) as RecordView<'post'>[]).map((post, at) => {
    const lastPost = last[at] ?? NONE;
    const size = links.threadSize(table.rootOf(lastPost));
    return { post, size, lastAt: toTimestamp(table.timeOf(lastPost)) };
  });
}
