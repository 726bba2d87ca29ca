import type { Post, Timestamp } from '#store/records.ts';
import { visitWords } from '#store/words.ts';
import { freezeTable } from './freeze-table.ts';
import type { FrozenWordTable } from './frozen-word-table.ts';
import { NumberIntersection, RankIntersection, type Intersection, type RankOrder } from './intersection.ts';
import type { PostingList } from './posting-list.ts';
import { WordTable } from './word-table.ts';

/** A post as the record index holds it. */
export interface IndexedPost {
  readonly record: Post;
  readonly hidden: boolean;
}

/** What is left of an erased post. */
interface ErasedPost {
  readonly record: Pick<Post, 'createdAt'>;
  readonly hidden: 'erased';
}

function isErased(post: IndexedPost | ErasedPost): post is ErasedPost {
  return post.hidden === 'erased';
}

/**
 * At most `capacity` posts by number, which is the order of their arrival; by *rank*, the order of their timestamps; and
 * by word. The two orders differ only where older posts were imported. Words are added by `build`, later than posts.
 */
export class FeedSegment<Entry extends IndexedPost> {
  readonly #capacity: number;
  readonly #hash: (word: string) => number;
  readonly #posts: (Entry | ErasedPost)[] = [];
  /** A byte for each post, for the filters that are no words. */
  readonly #traits: Uint8Array;
  /** The numbers by rank; undefined as long as number and rank are the same. */
  #order: Uint16Array | undefined;
  /** The ranks by number, if a search has needed them since the order changed. */
  #ranks: Uint16Array | undefined;
  #words: WordTable | FrozenWordTable = new WordTable();
  /** The words of the posts below this number are in `#words`. */
  #built = 0;
  /** Makes the frozen table of `#words`. */
  #freezing: ReturnType<typeof freezeTable> | undefined;

  /**
   * @param capacity at most 65,536, since a number has 16 bits
   * @param hash returns 32 bits. Two words may share a hash, so a search compares the texts of what it finds
   */
  constructor(capacity: number, hash: (word: string) => number) {
    this.#capacity = capacity;
    this.#hash = hash;
    this.#traits = new Uint8Array(capacity);
  }

  get isFull(): boolean {
    return this.#posts.length === this.#capacity;
  }

  /** Whether a search finds every post. */
  get isBuilt(): boolean {
    return this.#built === this.#posts.length;
  }

  /** Whether `buildAndFreeze` has nothing to do. */
  get isFinished(): boolean {
    return this.isBuilt && !(this.isFull && this.#words instanceof WordTable);
  }

  add(post: Entry, traits: number): void {
    const number = this.#posts.length;
    const { createdAt } = post.record;
    const isLatest = number === 0 || this.timeOf(number - 1) <= createdAt;
    const rank = isLatest ? number : this.rankBefore(createdAt) + 1;
    this.#posts.push(post);
    this.#traits[number] = traits;
    if (isLatest) return;
    this.#ranks = undefined;
    this.#order ??= Uint16Array.from({ length: this.#capacity }, (_, index) => index);
    this.#order.copyWithin(rank + 1, rank, number);
    this.#order[rank] = number;
  }

  /** Removes a post and its words. @returns whether the segment held the post */
  remove(post: Entry): boolean {
    const number = this.#numberOf(post);
    if (number === undefined) return false;
    this.#posts[number] = { record: { createdAt: post.record.createdAt }, hidden: 'erased' };
    if (number >= this.#built) return true;
    this.#freezing = undefined;
    visitWords(post.record, (word) => {
      this.#words.remove(this.#hash(word), number);
    });
    return true;
  }

  /** Adds words until everything is built or `isOver` returns true, which it is asked after each post. */
  build(isOver: () => boolean): void {
    if (!(this.#words instanceof WordTable)) return;
    const end = this.#posts.length;
    while (this.#built < end) {
      this.#addWords(this.#words, this.#built++);
      if (isOver()) break;
    }
  }

  /** As `build`. Of a full segment it then makes a table that takes less memory. */
  buildAndFreeze(isOver: () => boolean): void {
    this.build(isOver);
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

  /** @returns the post at a rank, undefined if it was erased */
  postAt(rank: number): Entry | undefined {
    const post = this.#posts[this.#order?.[rank] ?? rank];
    return post === undefined || isErased(post) ? undefined : post;
  }

  /** @returns the timestamp of the post at a rank, which the segment must have */
  timeOf(rank: number): Timestamp {
    return this.#posts[this.#order?.[rank] ?? rank]?.record.createdAt ?? '';
  }

  /** @returns the highest rank of a post that is older than `before`; -1 if there is none */
  rankBefore(before: Timestamp | undefined): number {
    let low = 0;
    let high = this.#posts.length;
    if (before === undefined) return high - 1;
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
    if (accepts !== undefined) lists.push(new TraitList(this.#traits, this.#posts.length, accepts));
    const [smallest, ...others] = lists;
    const order = this.#rankOrder();
    return order === undefined || smallest === undefined
      ? new NumberIntersection(lists)
      : new RankIntersection([smallest, ...others], order);
  }

  #addWords(words: WordTable, number: number): void {
    const post = this.#posts[number];
    if (post === undefined || isErased(post)) return;
    visitWords(post.record, (word) => {
      words.add(this.#hash(word), number);
    });
  }

  #rankOrder(): RankOrder | undefined {
    if (this.#order === undefined) return undefined;
    if (this.#ranks === undefined) {
      this.#ranks = new Uint16Array(this.#capacity);
      for (const [rank, number] of this.#order.entries()) this.#ranks[number] = rank;
    }
    return { numbers: this.#order, ranks: this.#ranks };
  }

  #numberOf(post: Entry): number | undefined {
    const { createdAt } = post.record;
    for (let rank = this.rankBefore(createdAt) + 1; rank < this.#posts.length; rank++) {
      const number = this.#order?.[rank] ?? rank;
      if (this.#posts[number] === post) return number;
      if (this.timeOf(rank) !== createdAt) break;
    }
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
