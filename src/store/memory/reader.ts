import type { Moderation } from '#store/engine/operation.ts';
import type { Kind, Records } from '#store/records.ts';
import type { RecordIndex } from './record-index.ts';
import type { RecordView, ModerationEntry, Range, Reader } from '#store/store.ts';

/** Answers a reader's questions from memory. @param fresh gives the state as it is by then */
export function createReader(fresh: () => Promise<RecordIndex>, clock: { now: () => number }): Reader {
  return {
    async find<K extends Kind>(kind: K, id: string) {
      if (!id.startsWith(`${kind}_`)) return undefined;
      const found = (await fresh()).find(id);
      if (found?.hidden !== false) return undefined;
      const { record, children } = found;
      return { record: record as Records[K], children };
    },
    async page<K extends Kind>(kind: K, range: Range) {
      return (await fresh()).page(kind, range) as RecordView<K>[];
    },
    async unanswered(prefix, limit) {
      return (await fresh()).unanswered(prefix, limit) as RecordView<'post'>[];
    },
    async totals() {
      return (await fresh()).totals();
    },
    async moderations(limit) {
      return (await fresh()).moderations(limit);
    },
    async *history() {
      for (const operation of (await fresh()).operations()) {
        if (operation.action === 'add') yield { kind: operation.kind, record: operation.record };
        else if ('id' in operation) yield withoutOrigin(operation);
      }
    },
    async frozen() {
      return (await fresh()).frozen;
    },
    async recentWriteAges(visitor, budget, span, limit) {
      const { history } = await fresh();
      const now = clock.now();
      return history.recentWrites(visitor, budget, now, span, limit).map((visit) => now - visit.at);
    },
  };
}

function withoutOrigin({ action, id, at, reason }: Moderation): ModerationEntry {
  return { action, id, at, reason };
}
