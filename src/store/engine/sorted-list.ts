/**
 * Items sorted by a key of theirs, ascending; equal keys in the order of `add`. Adding at the end is O(1),
 * a page from anywhere O(log n + page), adding or removing elsewhere O(n).
 */
export class SortedList<Item, Key extends string | number> {
  /** Invariant: sorted by `#keyOf`, ascending. */
  readonly #items: Item[] = [];
  readonly #keyOf: (item: Item) => Key;

  /** @param keyOf must return the same key for an item as long as the list holds it */
  constructor(keyOf: (item: Item) => Key) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    const last = this.#items.at(-1);
    if (last === undefined || this.#keyOf(last) <= this.#keyOf(item)) this.#items.push(item);
    else this.#items.splice(this.#upperBound(this.#keyOf(item)), 0, item);
  }

  /** Removes the very object; does nothing if the list does not hold it. */
  remove(item: Item): void {
    const key = this.#keyOf(item);
    const index = this.#items.indexOf(item, this.#lowerBound(key));
    if (index >= 0) this.#items.splice(index, 1);
  }

  /** @returns the items with exactly this key */
  at(key: Key): Item[] {
    return this.#items.slice(this.#lowerBound(key), this.#upperBound(key));
  }

  /** Removes and returns the items with a lower key. */
  removeBefore(key: Key): Item[] {
    return this.#items.splice(0, this.#lowerBound(key));
  }

  /** @returns at most `limit` items between two exclusive keys, the highest first */
  newest(limit: number, before?: Key, after?: Key): Item[] {
    const end = before === undefined ? this.#items.length : this.#lowerBound(before);
    const start = after === undefined ? 0 : this.#upperBound(after);
    return this.#items.slice(Math.max(start, end - limit), Math.max(start, end)).reverse();
  }

  /** @returns at most `limit` items between two exclusive keys, the lowest first */
  oldest(limit: number, before?: Key, after?: Key): Item[] {
    const end = before === undefined ? this.#items.length : this.#lowerBound(before);
    const start = after === undefined ? 0 : this.#upperBound(after);
    return this.#items.slice(start, Math.min(end, start + limit));
  }

  /** @returns the index of the first item with this key or a higher one */
  #lowerBound(key: Key): number {
    return this.#search((other) => other >= key);
  }

  /** @returns the index of the first item with a higher key */
  #upperBound(key: Key): number {
    return this.#search((other) => other > key);
  }

  #search(reached: (key: Key) => boolean): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (reached(this.#keyOf(this.#items[middle] as Item))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
