import { HOLD_PREFIX } from '#store/port/records.ts';
import type { Item } from './item.ts';
import type { State } from './state.ts';
import { elementsAt } from './time-order.ts';

/** Whether reports, and not the operator, have hidden a post. */
export function isHeld({ moderations }: Pick<State, 'moderations'>, { id, moderatedAt }: Item): boolean {
  if (moderatedAt === null) return false;
  const deciding = elementsAt(moderations, moderatedAt).findLast(
    (one) => one.id === id && one.action !== 'erase',
  );
  return deciding?.action === 'hide' && deciding.reason.startsWith(HOLD_PREFIX);
}
