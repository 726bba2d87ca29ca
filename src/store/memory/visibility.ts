import type { Moderation } from '#store/engine/operation.ts';
import { isHiddenAfter, moderatedAtAfter } from '#store/engine/record-state.ts';
import type { IndexEntry } from './record-entry.ts';

/** Whether a record is hidden, and since when, as in `RecordState`. */
export type Visibility = Pick<IndexEntry, 'hidden' | 'moderatedAt'>;

/** @returns whether the record is hidden and was not, or the other way round */
export function applyModeration(
  visibility: Visibility,
  moderation: Pick<Moderation, 'action' | 'at'>,
): boolean {
  const { hidden: wasHidden, moderatedAt } = visibility;
  const status = wasHidden ? 'hidden' : 'visible';
  visibility.hidden = isHiddenAfter({ status, moderatedAt }, moderation);
  visibility.moderatedAt = moderatedAtAfter(moderatedAt, moderation);
  return visibility.hidden !== wasHidden;
}
