import type { Snapshot } from '#store/engine/write-engine.ts';
import { type AwaitedRecord, ERASED, toLaterPost } from '#store/engine/operation.ts';
import { kindOf } from '#store/port/records.ts';
import type { ErasedRecord, LaterPost, RecordState } from '#store/port/lookups.ts';
import { lineageOf, type Item } from './item.ts';
import { readRecords, readTexts, type Source } from './records.ts';
import type { State } from './state.ts';
import { elementsAt, page } from './time-order.ts';

/**
 * Runs the lookups of a batch in the state in memory, which does not change before the batch is stored.
 * @param now wall-clock time in milliseconds since 1970
 * @returns a snapshot whose `earlierWrite` and `laterPosts` may throw `TextUnavailable`
 */
export function createSnapshot(state: State, now: number, log: Source['log']): Snapshot {
  const { writeHistory, lastTimestamp, frozen } = state;
  const laterPosts = new Map<Item, LaterPost>();
  return {
    now,
    lastTimestamp,
    frozen,
    record: (id) => toRecord(state.find(id)),
    awaited: (id) => {
      const item = state.find(id);
      return item && toAwaited(item);
    },
    recentWriteTimes: (lookup) => writeHistory.recentWrites(lookup, now).map(({ atMs }) => atMs),
    earlierWrite: (lookup) => {
      const found = writeHistory.find(lookup, now);
      const item = lookup.type === 'idempotentHit' && found ? state.find(found.id) : undefined;
      const [record] = item?.presence === 'there' ? readRecords({ log }, [item]) : [];
      return found && { ...found, record };
    },
    exists: (lookup) => {
      if (lookup.type === 'moderation')
        return elementsAt(state.moderations, lookup.at).some(
          ({ id, action }) => id === lookup.id && action === lookup.action,
        );
      return [state.visible[lookup.kind], state.hidden].some((list) =>
        elementsAt(list, lookup.at).some(({ id }) => kindOf(id) === lookup.kind),
      );
    },
    laterPosts: ({ after, limit }) => {
      const items = page(state.visible.post, { order: 'newest', after, limit });
      const missing = items.filter((item) => !laterPosts.has(item));
      const source = { log, recent: state.recent };
      const facts = state.steps.factsOf(missing, (unread) => readTexts(source, unread));
      for (const [index, item] of missing.entries()) {
        const { id, prefix, parent, root, createdAt, signer: mark } = item;
        const post = { id, prefix, parentId: parent?.id ?? null, rootId: root?.id ?? id, createdAt, mark };
        const prefixOf = (named: string): string | null => state.findVisible(named)?.prefix ?? null;
        laterPosts.set(item, toLaterPost(post, facts[index] ?? null, prefixOf));
      }
      return items.flatMap((item) => laterPosts.get(item) ?? []);
    },
  };
}

/** @returns undefined if the record never arrived */
function toRecord(item: Item | undefined): RecordState | ErasedRecord | undefined {
  if (item?.presence !== 'there') return item?.presence === 'erased' ? ERASED : undefined;
  const { id, prefix, signer: mark } = item;
  return { ...toAwaited(item), ...lineageOf(item), kind: kindOf(id), prefix, mark };
}

function toAwaited({ isHidden, moderatedAt, replies }: Item): AwaitedRecord {
  return { status: isHidden ? 'hidden' : 'visible', moderatedAt, children: replies.length };
}
