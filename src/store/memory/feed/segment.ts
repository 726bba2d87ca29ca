import { visitWords } from '#store/words.ts';
import { Int32Column } from '#store/memory/columns/int32-column.ts';
import type { TimeKey } from '#store/memory/columns/time-key.ts';
import type { FeedPosts } from './feed-posts.ts';
import { freezeTable } from './freeze-table.ts';
import type { FrozenWordTable } from './frozen-word-table.ts';
import { NumberIntersection, RankIntersection, type Intersection, type RankOrder } from './intersection.ts';
import type { PostingList } from './posting-list.ts';
import { WordTable } from './word-table.ts';

/**
 * At most `capacity` posts by *slot*, which is the order of their arrival; by *rank*, the order of their times; and by
 * word. The two orders differ only where older posts were imported. Words are added by `build`, later than posts.
 */
export class FeedSegment {
  readonly #capacity: number;
  readonly #hash: (word: string) => number;
  readonly #posts: FeedPosts;
  /** By slot, the number of the post. */
  readonly #numbers = new Int32Column();
  #size = 0;
  /** Slots of erased posts that words still have. */
  readonly #unwanted = new Set<number>();
  /** A byte for each post, for the filters that are no words. */
  readonly #traits: Uint8Array;
  /** The slots by rank; undefined as long as slot and rank are the same. */
  #order: Uint16Array | undefined;
  /** The ranks by slot, if a search has needed them since the order changed. */
  #ranks: Uint16Array | undefined;
  #words: WordTable | FrozenWordTable = new WordTable();
  /** The words of the posts below this slot are in `#words`. */
  #built = 0;
  /** Makes the frozen table of `#words`. */
  #freezing: ReturnType<typeof freezeTable> | undefined;

  /**
   * @param capacity at most 65,536, since a slot has 16 bits
   * @param hash returns 32 bits. Two words may share a hash, so a search compares the texts of what it finds
   */
  constructor(posts: FeedPosts, capacity: number, hash: (word: string) => number) {
    this.#posts = posts;
    this.#capacity = capacity;
    this.#hash = hash;
    this.#traits = new Uint8Array(capacity);
  }

  get isFull(): boolean {
    return this.#size === this.#capacity;
  }

  /** Whether a search finds every post. */
  get isBuilt(): boolean {
    return this.#built === this.#size;
  }

  /** Whether `buildAndFreeze` has nothing to do. */
  get isFinished(): boolean {
    return this.isBuilt && this.#unwanted.size === 0 && !(this.isFull && this.#words instanceof WordTable);
  }

  /** @param post the number of a post whose time stays the same, whatever becomes of it */
  add(post: number, traits: number): void {
    const slot = this.#size++;
    const time = this.#posts.timeOf(post);
    const isLatest = slot === 0 || this.timeOf(slot - 1) <= time;
    const rank = isLatest ? slot : this.#rankBefore(time, slot) + 1;
    this.#numbers.set(slot, post);
    this.#traits[slot] = traits;
    if (isLatest) return;
    this.#ranks = undefined;
    this.#order ??= Uint16Array.from({ length: this.#capacity }, (_, index) => index);
    this.#order.copyWithin(rank + 1, rank, slot);
    this.#order[rank] = slot;
  }

  /** The post is erased: its words are removed by `buildAndFreeze`, since the text that has them is gone. */
  remove(post: number): void {
    const slot = this.#slotOf(post);
    if (slot === undefined || slot >= this.#built) return;
    this.#freezing = undefined;
    this.#unwanted.add(slot);
  }

  /** Adds words until everything is built or `isOver` returns true, which it is asked after each post. @throws TextUnavailable */
  build(isOver: () => boolean): void {
    if (!(this.#words instanceof WordTable)) return;
    const end = this.#size;
    while (this.#built < end) {
      this.#addWords(this.#words, this.#built);
      this.#built += 1;
      if (isOver()) break;
    }
  }

  /** As `build`. Then it removes the words of erased posts, and of a full segment it makes a table that takes less memory. */
  buildAndFreeze(isOver: () => boolean): void {
    this.build(isOver);
    if (this.#unwanted.size > 0) {
      this.#words.removeNumbers(this.#unwanted);
      this.#unwanted.clear();
    }
    if (!this.isFull || !this.isBuilt || !(this.#words instanceof WordTable)) return;
    this.#freezing ??= freezeTable(this.#words, this.#capacity);
    while (!isOver()) {
      const { done, value } = this.#freezing.next();
      if (done !== true) continue;
      this.#words = value;
      this.#freezing = undefined;
      return;
    }
  }

  /** @returns the number of the post at a rank */
  postAt(rank: number): number {
    return this.#numbers.get(this.#order?.[rank] ?? rank);
  }

  /** @returns the time of the post at a rank, which the segment must have */
  timeOf(rank: number): TimeKey {
    return this.#posts.timeOf(this.postAt(rank));
  }

  /** @returns the highest rank of a post that is older than `before`; -1 if there is none */
  rankBefore(before: TimeKey | undefined): number {
    return before === undefined ? this.#size - 1 : this.#rankBefore(before, this.#size);
  }

  #rankBefore(before: TimeKey, size: number): number {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.timeOf(middle) < before) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /**
   * The ranks of the posts that have all words and an accepted trait byte.
   * @param accepts by trait byte, 1 if the post qualifies; undefined if all do
   * @returns undefined if a word occurs nowhere in the segment
   */
  intersection(hashes: readonly number[], accepts: Uint8Array | undefined): Intersection | undefined {
    const lists: PostingList[] = [];
    for (const hash of hashes) {
      const list = this.#words.get(hash);
      if (list === undefined) return undefined;
      lists.push(list);
    }
    lists.sort((a, b) => a.size - b.size);
    if (accepts !== undefined) lists.push(new TraitList(this.#traits, this.#size, accepts));
    const [smallest, ...others] = lists;
    const order = this.#rankOrder();
    return order === undefined || smallest === undefined
      ? new NumberIntersection(lists)
      : new RankIntersection([smallest, ...others], order);
  }

  #addWords(words: WordTable, slot: number): void {
    const post = this.#posts.textsOf(this.#numbers.get(slot));
    if (post === undefined) return;
    visitWords(post, (word) => {
      words.add(this.#hash(word), slot);
    });
  }

  #rankOrder(): RankOrder | undefined {
    if (this.#order === undefined) return undefined;
    if (this.#ranks === undefined) {
      this.#ranks = new Uint16Array(this.#capacity);
      for (const [rank, slot] of this.#order.entries()) this.#ranks[slot] = rank;
    }
    return { numbers: this.#order, ranks: this.#ranks };
  }

  #slotOf(post: number): number | undefined {
    const time = this.#posts.timeOf(post);
    for (let rank = this.rankBefore(time) + 1; rank < this.#size && this.timeOf(rank) === time; rank++)
      if (this.postAt(rank) === post) return this.#order?.[rank] ?? rank;
    return undefined;
  }
}

/** The posts whose traits qualify. */
class TraitList implements PostingList {
  readonly size: number;
  readonly #traits: Uint8Array;
  readonly #accepts: Uint8Array;

  constructor(traits: Uint8Array, size: number, accepts: Uint8Array) {
    this.size = size;
    this.#traits = traits;
    this.#accepts = accepts;
  }

  floor(from: number): number {
    let number = from;
    while (number >= 0 && !this.has(number)) number -= 1;
    return number;
  }

  has(number: number): boolean {
    return this.#accepts[this.#traits[number] ?? 0] === 1;
  }
}
