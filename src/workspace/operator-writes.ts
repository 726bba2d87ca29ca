import type { ModerationEntry, Store } from '#store/port/store.ts';

/**
 * Hides, unhides or erases a record, effective at once in every process. An erase may be repeated, in case an
 * earlier one was interrupted.
 * @returns false if there is no such record, if a hide finds it hidden, or if an unhide finds it visible
 * @throws StoreFailure
 */
export function moderate(
  store: Store,
  action: ModerationEntry['action'],
  id: string,
  reason: string,
): Promise<boolean> {
  return store.write({ record: { type: 'record', id } }, ({ record, timestamp: at }) => {
    const isSubject =
      action === 'erase'
        ? record !== undefined
        : record?.status === (action === 'hide' ? 'visible' : 'hidden');
    return isSubject ? { answer: true, operation: { action, id, at, reason } } : { answer: false };
  });
}

/**
 * Makes every process on the store refuse to publish (freeze), or accept it again (thaw).
 * @returns false if the store is in that state already
 * @throws StoreFailure
 */
export function setFrozen(store: Store, action: 'freeze' | 'thaw'): Promise<boolean> {
  return store.write({}, ({ frozen, timestamp: at }) =>
    frozen === (action === 'freeze') ? { answer: false } : { answer: true, operation: { action, at } },
  );
}
