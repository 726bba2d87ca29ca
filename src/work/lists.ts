/**
 * @param list begins with the elements for which `isFirst` is true
 * @returns the number of these
 * @example `countFirst([1, 2, 5, 7], (n) => n < 4)` is 2
 */
export function countFirst<One>(list: readonly One[], isFirst: (one: One) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isFirst(list[middle] as One)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Adds an element to a list in order, which then keeps its first `max` elements.
 * @example `insertTop([9, 5, 3], 7, 3, (one, other) => one > other)` makes the list `[9, 7, 5]`
 */
export function insertTop<One>(
  list: One[],
  one: One,
  max: number,
  isBefore: (one: One, other: One) => boolean,
): void {
  const last = list[max - 1];
  if (last !== undefined && !isBefore(one, last)) return;
  const index = countFirst(list, (other) => !isBefore(one, other));
  list.splice(index, 0, one);
  list.length = Math.min(list.length, max);
}

/**
 * Adds an element to the end of a list, which it creates with the first one.
 * @example `append(lists, 'a', 1)` and `append(lists, 'a', 2)`: `lists.get('a')` is `[1, 2]`
 */
export function append<Key, One>(lists: Map<Key, One[]>, key: Key, one: One): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else list.push(one);
}
