import type { RecordView, ThreadHead, ThreadPage, ThreadRange } from '#store/store.ts';
import type { PostEntry } from './record-entry.ts';
import type { RecordIndex } from './record-index.ts';

/** Posts that are taken from the index at once. */
const BATCH_SIZE = 256;

/** As `Reader.threads`. */
export function readThreads(index: RecordIndex, { before, limit, maxCandidates }: ThreadRange): ThreadPage {
  const items: ThreadHead[] = [];
  let examinedTo = before;
  for (let left = maxCandidates; left > 0; ) {
    const count = Math.min(left, BATCH_SIZE);
    const batch = index.orders.posts({ order: 'newest', before: examinedTo, limit: count });
    for (const entry of batch) {
      examinedTo = entry.record.createdAt;
      if (!index.links.isLastOfThread(entry)) continue;
      items.push(headOf(index, entry));
      if (items.length === limit) return { items, examinedTo };
    }
    if (batch.length < count) return { items, examinedTo: null };
    left -= count;
  }
  return { items, examinedTo: examinedTo ?? null };
}

function headOf(index: RecordIndex, { record: { rootId, createdAt } }: PostEntry): ThreadHead {
  const root = index.view(rootId);
  const [post] =
    root === undefined ? index.page('post', { thread: rootId, order: 'oldest', limit: 1 }) : [root];
  return { post: post as RecordView<'post'>, size: index.links.threadSize(rootId), lastAt: createdAt };
}
