/** A chunk that grows longer is divided. */
const MAX_CHUNK_ITEMS = 1024;

/** The place of an item: the number of its chunk, and its index in there. */
interface Place {
  readonly chunk: number;
  readonly index: number;
}

const START: Place = { chunk: 0, index: 0 };

/**
 * Items sorted by a key of theirs, ascending; equal keys in the order of `add`. They stand in chunks, since
 * an import of older records inserts each before all others. Adding at the end is O(1), a page from anywhere
 * O(log n + page), adding or removing elsewhere O(log n) and the moves within one chunk.
 */
export class SortedList<Item, Key extends string | number> {
  /** Invariant: sorted by `#keyOf`, ascending, over all chunks. Only the chunk of an empty list is empty. */
  readonly #chunks: Item[][] = [[]];
  readonly #keyOf: (item: Item) => Key;
  #size = 0;

  /** @param keyOf must return the same key for an item as long as the list holds it */
  constructor(keyOf: (item: Item) => Key) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    const key = this.#keyOf(item);
    const last = this.#chunks.at(-1)?.at(-1);
    const isLast = last === undefined || this.#keyOf(last) <= key;
    const { chunk, index } = isLast ? this.#lastPlace : this.#upperBound(key);
    this.#size += 1;
    const items = this.#chunks[chunk];
    if (items === undefined) this.#chunks.push([item]);
    else if (isLast) items.push(item);
    else {
      items.splice(index, 0, item);
      if (items.length > MAX_CHUNK_ITEMS) this.#chunks.splice(chunk + 1, 0, items.splice(items.length >> 1));
    }
  }

  /** Removes the very object; does nothing if the list does not hold it. */
  remove(item: Item): void {
    const key = this.#keyOf(item);
    const [from, to] = [this.#lowerBound(key), this.#upperBound(key)];
    for (let { chunk, index } = from; chunk <= to.chunk; chunk++, index = 0) {
      const found = this.#chunks[chunk]?.indexOf(item, index) ?? -1;
      if (found < 0) continue;
      this.#size -= 1;
      this.#chunks[chunk]?.splice(found, 1);
      if (this.#chunks[chunk]?.length === 0 && this.#size > 0) this.#chunks.splice(chunk, 1);
      return;
    }
  }

  /** @returns the items with exactly this key */
  at(key: Key): Item[] {
    return this.#between(this.#lowerBound(key), this.#upperBound(key));
  }

  /** Removes and returns the items with a lower key. */
  removeBefore(key: Key): Item[] {
    const { chunk, index } = this.#lowerBound(key);
    const removed = this.#chunks.splice(0, chunk).flat();
    const rest = this.#chunks[0];
    if (rest === undefined) this.#chunks.push([]);
    else for (const item of rest.splice(0, index)) removed.push(item);
    this.#size -= removed.length;
    return removed;
  }

  /** @returns at most `limit` items between two exclusive keys, the highest first */
  newest(limit: number, before?: Key, after?: Key): Item[] {
    const from = after === undefined ? START : this.#upperBound(after);
    const to = before === undefined ? this.#end : this.#lowerBound(before);
    const found: Item[] = [];
    for (let { chunk, index } = to; chunk >= from.chunk && found.length < limit; chunk--, index = Infinity) {
      const items = this.#chunks[chunk] ?? [];
      const end = Math.min(index, items.length);
      const start = Math.max(chunk === from.chunk ? from.index : 0, end - (limit - found.length));
      for (const item of items.slice(start, end).reverse()) found.push(item);
    }
    return found;
  }

  /** @returns at most `limit` items between two exclusive keys, the lowest first */
  oldest(limit: number, before?: Key, after?: Key): Item[] {
    const from = after === undefined ? START : this.#upperBound(after);
    return this.#between(from, before === undefined ? this.#end : this.#lowerBound(before), limit);
  }

  /** @param to behind the last item */
  #between(from: Place, to: Place, limit = Infinity): Item[] {
    const found: Item[] = [];
    for (let { chunk, index } = from; chunk <= to.chunk && found.length < limit; chunk++, index = 0) {
      const end = Math.min(chunk === to.chunk ? to.index : Infinity, index + limit - found.length);
      for (const item of this.#chunks[chunk]?.slice(index, end) ?? []) found.push(item);
    }
    return found;
  }

  /** Behind the last item. */
  get #end(): Place {
    return { chunk: this.#chunks.length, index: 0 };
  }

  /** Where an item is added at the end: in the last chunk, or in a new one. */
  get #lastPlace(): Place {
    const chunk = this.#chunks.length - 1;
    const index = this.#chunks[chunk]?.length ?? 0;
    return index < MAX_CHUNK_ITEMS ? { chunk, index } : this.#end;
  }

  /** @returns the place of the first item with this key or a higher one */
  #lowerBound(key: Key): Place {
    return this.#search((item) => this.#keyOf(item) >= key);
  }

  /** @returns the place of the first item with a higher key */
  #upperBound(key: Key): Place {
    return this.#search((item) => this.#keyOf(item) > key);
  }

  /** @param reached false for the items before the place, true from it on */
  #search(reached: (item: Item) => boolean): Place {
    const chunk = firstIndex(this.#chunks, (items) => {
      const last = items.at(-1);
      return last === undefined || reached(last);
    });
    return { chunk, index: firstIndex(this.#chunks[chunk] ?? [], reached) };
  }
}

/**
 * Bisects.
 * @param reached false for some first elements, and true for all others
 * @returns the index of the first element for which `reached` holds; the length if it holds for none
 */
export function firstIndex<Element>(
  elements: readonly Element[],
  reached: (element: Element) => boolean,
): number {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reached(elements[middle] as Element)) high = middle;
    else low = middle + 1;
  }
  return low;
}
