import type { Moderation } from '#store/engine/operation.ts';
import type { Kind, Records } from '#store/records.ts';
import type { State } from './record-index.ts';
import type { Kept, ModerationEntry, Range, Reader } from '#store/store.ts';

/** Answers a reader's questions from memory. @param fresh gives the state as it is by then */
export function readerOf(fresh: () => Promise<State>, clock: { now: () => number }): Reader {
  return {
    async find<K extends Kind>(kind: K, id: string) {
      if (!id.startsWith(`${kind}_`)) return undefined;
      const found = (await fresh()).find(id);
      if (found?.hidden !== false) return undefined;
      const { record, children } = found;
      return { record: record as Records[K], children };
    },
    async page<K extends Kind>(kind: K, range: Range) {
      return (await fresh()).page(kind, range) as Kept<K>[];
    },
    async unanswered(prefix, limit) {
      return (await fresh()).unanswered(prefix, limit) as Kept<'post'>[];
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
        else if ('id' in operation) yield withoutVisit(operation);
      }
    },
    async frozen() {
      return (await fresh()).frozen;
    },
    async window(visitor, budget, span, limit) {
      const { ledger } = await fresh();
      const now = clock.now();
      return ledger.window(visitor, budget, now, span, limit).map((visit) => now - visit.at);
    },
  };
}

function withoutVisit({ action, id, at, reason }: Moderation): ModerationEntry {
  return { action, id, at, reason };
}
