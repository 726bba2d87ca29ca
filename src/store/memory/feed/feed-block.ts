import { hashWord } from '#store/engine/word-hash.ts';
import type { TimeKey } from '#store/memory/columns/time-key.ts';
import { NONE } from '#store/memory/columns/column.ts';
import type { FeedFilter, Post } from '#store/port/store.ts';
import { visitWords, type WordSource } from '#message/words.ts';
import { WordBuffer } from './word-buffer.ts';
import { LOOKUP_COST, SLOT_END, WordTable, type PostingList } from './word-table.ts';

/** The posts as the index of the feed sees them, by number. */
export interface FeedPosts {
  idOf(post: number): string;
  /** Stays the same, also when the post is erased. */
  timeOf(post: number): TimeKey;
  isVisible(post: number): boolean;
  prefixOf(post: number): string | null;
  isFirst(post: number): boolean;
  /** @returns undefined for an erased post. @throws TextUnavailable */
  textsOf(post: number): Post | undefined;
}

export interface BlockOptions {
  readonly posts: FeedPosts;
  /** @returns 32 bits. Two words may share a hash, so a search compares the texts of what it finds. */
  readonly hash: (word: string) => number;
  /** At most `SLOT_END`. */
  readonly maxPosts: number;
  /** With this number of words a block takes no further post. */
  readonly maxWords: number;
}

/**
 * The posts of a stretch of time. A *slot* is the place of a post in the order of time. Words are added later
 * than posts, those of the oldest post first.
 */
export class FeedBlock {
  readonly #options: BlockOptions;
  /** By slot, the number of the post. */
  readonly #numbers = new Int32Array(SLOT_END);
  /** By slot, as of `toTraits`. */
  readonly #traits = new Uint8Array(SLOT_END);
  #size = 0;
  /** Undefined before the first word. */
  #words: WordBuffer | WordTable | undefined;
  #packing: ReturnType<WordBuffer['pack']> | undefined;
  /** The posts below this slot have their words in `#words`. */
  #built = 0;
  /** Whether there is a later block, which takes new posts. */
  #isClosed = false;

  constructor(options: BlockOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#size === this.#options.maxPosts || this.#hasMaxWords;
  }

  get #hasMaxWords(): boolean {
    return this.#words instanceof WordBuffer && this.#words.size >= this.#options.maxWords;
  }

  get isBuilt(): boolean {
    return this.#built === this.#size;
  }

  /** Whether `build` and `finish` have nothing to do. */
  get isFinished(): boolean {
    return this.isBuilt && !(this.#isClosed && this.#words instanceof WordBuffer);
  }

  get bytes(): number {
    return this.#numbers.byteLength + this.#traits.byteLength + (this.#words?.bytes ?? 0);
  }

  get lastTime(): TimeKey {
    return this.timeAt(this.#size - 1);
  }

  postAt(slot: number): number {
    return this.#numbers[slot] ?? NONE;
  }

  timeAt(slot: number): TimeKey {
    return this.#options.posts.timeOf(this.postAt(slot));
  }

  /** @returns how many posts are older */
  countBefore(time: TimeKey): number {
    if (this.#size === 0 || this.lastTime < time) return this.#size;
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.timeAt(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Adds a post to a block that is not full. If a post of the block is later, all words have to be added
   * anew.
   * @param texts of the post, to add its words too
   */
  add(post: number, texts?: WordSource): void {
    const { posts } = this.#options;
    const slot = this.countBefore(posts.timeOf(post));
    if (slot < this.#size) {
      this.#forgetWords();
      for (const column of [this.#numbers, this.#traits]) column.copyWithin(slot + 1, slot, this.#size);
    }
    this.#numbers[slot] = post;
    this.#traits[slot] = toTraits(posts.prefixOf(post), posts.isFirst(post));
    this.#size += 1;
    if (texts !== undefined && slot === this.#built) this.#addWords(texts);
  }

  /** A later block takes new posts. */
  close(): void {
    this.#isClosed = true;
  }

  /** Moves the posts from a slot on to a later block, without words. @returns that block */
  splitOff(from: number): FeedBlock {
    if (from < this.#built) this.#forgetWords();
    const later = new FeedBlock(this.#options);
    later.#numbers.set(this.#numbers.subarray(from, this.#size));
    later.#traits.set(this.#traits.subarray(from, this.#size));
    later.#size = this.#size - from;
    later.#isClosed = this.#isClosed;
    this.#size = from;
    this.#isClosed = true;
    return later;
  }

  /** The post is erased: if the block holds it, the words of all others are added anew. */
  remove(post: number): void {
    const time = this.#options.posts.timeOf(post);
    for (let slot = this.countBefore(time); slot < this.#built && this.timeAt(slot) === time; slot++)
      if (this.postAt(slot) === post) this.#forgetWords();
  }

  /**
   * Adds words until every post has its own, there are `maxWords`, or `isOver`, which it calls after each
   * post, returns true.
   * @returns a later block with the posts for which there is no room; undefined if there are none
   * @throws TextUnavailable
   */
  build(isOver: () => boolean): FeedBlock | undefined {
    while (!this.isBuilt) {
      if (this.#hasMaxWords) return this.splitOff(this.#built);
      this.#addWords(this.#options.posts.textsOf(this.postAt(this.#built)));
      if (isOver()) break;
    }
    return undefined;
  }

  /** Takes a step of some 10 ms in packing the words of a closed block. */
  finish(): void {
    if (!(this.#words instanceof WordBuffer)) return;
    this.#packing ??= this.#words.pack();
    const { value: table } = this.#packing.next();
    if (table === undefined) return;
    this.#words = table;
    this.#packing = undefined;
  }

  /**
   * @param hashes of words
   * @returns lists that all hold the slot of a post if it has the words and fits the filter
   */
  lists(hashes: readonly number[], { prefix, threads }: FeedFilter): readonly PostingList[] {
    const lists: PostingList[] = [];
    for (const hash of hashes) {
      const list = this.#words?.find(hash);
      if (list === undefined) return [{ cost: (lists.length + 1) * LOOKUP_COST, floor: () => -1 }];
      lists.push(list);
    }
    const mask = (prefix === undefined ? 0 : PREFIX_BITS) | (threads === true ? FIRST_BIT : 0);
    const wanted = toTraits(prefix ?? null, true) & mask;
    if (mask !== 0) lists.push(new TraitList(this.#traits.subarray(0, this.#size), mask, wanted));
    return lists;
  }

  #addWords(texts: WordSource | undefined): void {
    const slot = this.#built++;
    if (texts === undefined || this.#words instanceof WordTable) return;
    const words = this.#words ?? new WordBuffer();
    this.#words = words;
    const { hash } = this.#options;
    visitWords(texts, (word) => {
      words.add(hash(word), slot);
    });
  }

  #forgetWords(): void {
    this.#words = undefined;
    this.#packing = undefined;
    this.#built = 0;
  }
}

const FIRST_BIT = 1;
const PREFIX_BITS = 0xfe;

/** @returns a byte for filters that are no words. Two prefixes may share one, so a search compares them. */
function toTraits(prefix: string | null, isFirst: boolean): number {
  return ((hashWord(prefix ?? '') << 1) & PREFIX_BITS) | (isFirst ? FIRST_BIT : 0);
}

/** How many traits are read in the time of one candidate. */
const TRAITS_PER_CANDIDATE = 64;

class TraitList implements PostingList {
  readonly cost: number;
  readonly #traits: Uint8Array;
  readonly #mask: number;
  readonly #wanted: number;

  constructor(traits: Uint8Array, mask: number, wanted: number) {
    this.#traits = traits;
    this.#mask = mask;
    this.#wanted = wanted;
    this.cost = traits.length / TRAITS_PER_CANDIDATE;
  }

  floor(from: number): number {
    let slot = from;
    while (slot >= 0 && ((this.#traits[slot] ?? 0) & this.#mask) !== this.#wanted) slot -= 1;
    return slot;
  }
}
