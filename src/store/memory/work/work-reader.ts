import type { RecordIndex } from '#store/memory/record-index.ts';
import type { Reader, RecordView, WorkItem } from '#store/store.ts';
import { readWorkPage } from '#store/work/work-reader.ts';

/** @param currentIndex as of `createReader` */
export function createWorkReader(
  currentIndex: () => Promise<RecordIndex>,
): Pick<Reader, 'work' | 'workCounts' | 'standings'> {
  return {
    async work(list, range, now) {
      const { items, examinedTo } = await readWorkPage(range, async (part) => {
        const index = await currentIndex();
        const board = index.board(now);
        return board.page(list, part).map((entry): WorkItem => {
          const view = index.view(entry.record.id) as RecordView<'post'>;
          return entry.record.prefix === 'WORK' ? { ...view, due: board.dueOf(entry) } : view;
        });
      });
      // Looked up again, since a search may have paused while posts were hidden or erased.
      const index = await currentIndex();
      return { items: items.filter(({ record }) => index.view(record.id) !== undefined), examinedTo };
    },
    async workCounts(now) {
      return (await currentIndex()).board(now).counts();
    },
    async standings(ids, now) {
      const index = await currentIndex();
      const board = index.board(now);
      return ids.flatMap((id) => {
        const entry = index.visiblePost(id);
        if (entry === undefined) return [];
        const underWay = board.underWay(entry).map(({ work, dueAt }) => ({
          id: work.id,
          name: work.name ?? null,
          dueAt,
        }));
        return [{ id, prefix: entry.record.prefix, underWay }];
      });
    },
  };
}
