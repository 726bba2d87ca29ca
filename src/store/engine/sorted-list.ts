/**
 * Items in the order of a key that they hold themselves. Adding at the end and reading a page from anywhere cost the
 * same at any size.
 */
export class SortedList<Item, Key extends string | number> {
  readonly #items: Item[] = [];
  readonly #keyOf: (item: Item) => Key;

  constructor(keyOf: (item: Item) => Key) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    const last = this.#items.at(-1);
    if (last === undefined || this.#keyOf(last) <= this.#keyOf(item)) this.#items.push(item);
    else this.#items.splice(this.#firstAfter(this.#keyOf(item)), 0, item);
  }

  remove(item: Item): void {
    const key = this.#keyOf(item);
    const index = this.#items.indexOf(item, this.#firstFrom(key));
    if (index >= 0) this.#items.splice(index, 1);
  }

  /** @returns the items with that very key. */
  at(key: Key): Item[] {
    return this.#items.slice(this.#firstFrom(key), this.#firstAfter(key));
  }

  /** Takes away all items whose key is lower. */
  removeBefore(key: Key): Item[] {
    return this.#items.splice(0, this.#firstFrom(key));
  }

  /** @returns at most `limit` items with keys between the two, both exclusive, the highest first. */
  newest(limit: number, before?: Key, after?: Key): Item[] {
    const end = before === undefined ? this.#items.length : this.#firstFrom(before);
    const start = after === undefined ? 0 : this.#firstAfter(after);
    return this.#items.slice(Math.max(start, end - limit), Math.max(start, end)).reverse();
  }

  /** @returns at most `limit` items with keys between the two, both exclusive, the lowest first. */
  oldest(limit: number, before?: Key, after?: Key): Item[] {
    const end = before === undefined ? this.#items.length : this.#firstFrom(before);
    const start = after === undefined ? 0 : this.#firstAfter(after);
    return this.#items.slice(start, Math.min(end, start + limit));
  }

  #firstFrom(key: Key): number {
    return this.#search((other) => other >= key);
  }

  #firstAfter(key: Key): number {
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
