import { HOLD_PREFIX, type ModerationEntry, type Timestamp } from '#store/port/records.ts';
import type { Reader, Store } from '#store/port/store.ts';

/**
 * Hides, unhides or erases a record, with immediate effect in every process. An erase may be repeated, in
 * case an earlier one was interrupted.
 * @returns false if there is no such record, or if it is already hidden or visible
 * @throws StoreFailure
 * @example
 *   await moderate(store, 'hide', 'post_1', 'advertising'); // true
 *   await moderate(store, 'hide', 'post_1', 'advertising'); // false
 */
export async function moderate(
  store: Store,
  action: ModerationEntry['action'],
  id: string,
  reason: string,
): Promise<boolean> {
  const write = (hold?: Timestamp): Promise<boolean> =>
    store.write({ record: { type: 'record', id } }, ({ record, timestamp: at }) => {
      const isHeld = record?.status === 'hidden' && hold !== undefined && record.moderatedAt === hold;
      const isSubject =
        action === 'erase'
          ? record !== undefined
          : isHeld || record?.status === (action === 'hide' ? 'visible' : 'hidden');
      return isSubject ? { result: true, operation: { action, id, at, reason } } : { result: false };
    });
  if (await write()) return true;
  // An operator can permanently hide what a server hides for a day.
  const latest = action === 'hide' ? (await findLatestModerations(store.read, [id])).get(id) : undefined;
  return latest?.action === 'hide' && latest.reason.startsWith(HOLD_PREFIX) && write(latest.at);
}

const PAGE_SIZE = 1000;

/**
 * Reads the latest moderation of every record, newest first.
 * @example
 *   // post_1 was hidden, post_2 was hidden, and post_1 was shown again:
 *   for await (const entry of readLatestModerations(read)) entry; // unhide of post_1, then hide of post_2
 */
export async function* readLatestModerations(
  read: Pick<Reader, 'moderations'>,
): AsyncIterable<ModerationEntry> {
  const seen = new Set<string>();
  for (let before: Timestamp | undefined; ; ) {
    const page = await read.moderations(PAGE_SIZE, before);
    for (const entry of page) {
      if (!seen.has(entry.id)) yield entry;
      seen.add(entry.id);
    }
    if (page.length < PAGE_SIZE) return;
    before = page.at(-1)?.at;
  }
}

/**
 * @returns the latest moderation of each record that has one, by id
 * @example
 *   await findLatestModerations(read, ['post_1', 'post_2']); // Map { 'post_1' => { action: 'hide', at, … } }
 */
export async function findLatestModerations(
  read: Pick<Reader, 'moderations'>,
  ids: readonly string[],
): Promise<Map<string, ModerationEntry>> {
  const wanted = new Set(ids);
  const found = new Map<string, ModerationEntry>();
  for await (const entry of readLatestModerations(read)) {
    if (wanted.delete(entry.id)) found.set(entry.id, entry);
    if (wanted.size === 0) break;
  }
  return found;
}

/**
 * Makes every process on the store refuse publications (freeze), or accept them again (thaw).
 * @returns false if the store is already in that state
 * @throws StoreFailure
 * @example
 *   await setFrozen(store, 'freeze'); // true: until it is thawed, `publish` throws "frozen"
 */
export function setFrozen(store: Store, action: 'freeze' | 'thaw'): Promise<boolean> {
  return store.write({}, ({ frozen, timestamp: at }) =>
    frozen === (action === 'freeze') ? { result: false } : { result: true, operation: { action, at } },
  );
}
