import { NONE } from '#store/memory/columns/int32-column.ts';
import { toKeyRange } from '#store/memory/key-range.ts';
import type { RecordIndex } from '#store/memory/record-index.ts';
import type { Post, RecordView, Standing, WorkItem, WorkList, WorkPage, WorkRange } from '#store/store.ts';
import { readWorkPage } from '#store/work/work-reader.ts';
import { dueInForce } from '#store/work/work-rules.ts';

/**
 * As `Reader.work`.
 * @param currentIndex as of `createReader`
 * @throws TextUnavailable
 */
export async function readWork(
  currentIndex: () => Promise<RecordIndex>,
  list: WorkList,
  range: WorkRange,
  now: number,
): Promise<WorkPage> {
  const { items, examinedTo } = await readWorkPage(range, async (part) => {
    const index = await currentIndex();
    const board = index.board(now);
    const posts = board.page(list, toKeyRange(part));
    return index.viewsOf(posts).map((view, at): WorkItem => {
      const item = view as RecordView<'post'>;
      if (item.record.prefix !== 'WORK') return item;
      return { ...item, due: dueInForce(item.record, board.dueAt(posts[at] ?? NONE)) };
    });
  });
  // Looked up again, since a search may have paused while posts were hidden or erased.
  const index = await currentIndex();
  return { items: items.filter(({ record }) => index.isVisible(record.id)), examinedTo };
}

/** As `Reader.standings`. @throws TextUnavailable */
export function readStandings(index: RecordIndex, ids: readonly string[], now: number): Standing[] {
  const board = index.board(now);
  return ids.flatMap((id) => {
    const post = index.table.numberOf(id);
    if (!index.table.isVisible(post) || index.table.kindOf(post) !== 'post') return [];
    const works = board.underWay(post);
    const underWay = (index.records.all(works) as Post[]).map((work, at) => ({
      id: work.id,
      name: work.name ?? null,
      dueAt: board.dueAt(works[at] ?? NONE),
    }));
    return [{ id, prefix: index.table.prefixOf(post), underWay }];
  });
}
