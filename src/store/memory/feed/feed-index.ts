import { randomInt } from 'node:crypto';
import type { TextBudget } from '#message/text-budget.ts';
import { LAST_TIMESTAMP, successorOf } from '#store/engine/timestamp.ts';
import { hashWord } from '#store/engine/word-hash.ts';
import type { Timestamp } from '#store/port/records.ts';
import { toTimeKey, toTimestamp, type TimeKey } from '#store/memory/columns/time-key.ts';
import type { FeedFilter, FeedRange } from '#store/port/store.ts';
import type { WordSource } from '#message/words.ts';
import { FeedBlock, type BlockOptions, type FeedPosts } from './feed-block.ts';
import { SLOT_END, type PostingList } from './word-table.ts';

/** Bounds what a step of packing the words of a block takes. */
const MAX_WORDS = 524_288;

/** No page can end before it. */
const LAST_TIME = toTimeKey(LAST_TIMESTAMP);

export interface FeedMatches {
  /** Ids, since another index may have other numbers. */
  readonly posts: string[];
  readonly examinedTo: Timestamp | null;
}

export interface FeedSlice extends FeedMatches {
  /** How much is left of `maxCandidates`. */
  readonly candidates: number;
  /** Whether the search continues from `examinedTo` after a pause. */
  readonly isPaused: boolean;
  /** The block that needs the words of its posts before the search continues from `examinedTo`. */
  readonly unbuilt: FeedBlock | undefined;
}

interface FeedIndexOptions extends Pick<BlockOptions, 'maxPosts' | 'maxWords'> {
  /** Of the hashes of words: random, so that words with equal hashes cannot be prepared. */
  readonly seed: number;
}

/** All posts, hidden ones too, in blocks in the order of time. A search reads them newest first. */
export class FeedIndex {
  readonly #posts: FeedPosts;
  readonly #hash: (word: string) => number;
  readonly #blockOptions: BlockOptions;
  /** The oldest first, none without posts. */
  readonly #blocks: FeedBlock[] = [];

  constructor(
    posts: FeedPosts,
    { maxPosts = SLOT_END, maxWords = MAX_WORDS, seed = randomInt(2 ** 32) }: Partial<FeedIndexOptions> = {},
  ) {
    this.#posts = posts;
    this.#hash = (word) => hashWord(word, seed) >>> 0;
    this.#blockOptions = { posts, hash: this.#hash, maxPosts, maxWords };
  }

  get bytes(): number {
    return this.#blocks.reduce((sum, block) => sum + block.bytes, 0);
  }

  /** @param texts of the post: its words are added at once if those of the newest post before it are there */
  add(post: number, texts?: WordSource): void {
    const hasWords = this.#blocks.at(-1)?.isBuilt === true;
    this.#blockFor(this.#posts.timeOf(post)).add(post, hasWords ? texts : undefined);
  }

  /** @returns the block that takes a post: the one with the next later post, or the newest one */
  #blockFor(time: TimeKey): FeedBlock {
    const at = this.#blocks.findLastIndex(({ lastTime }) => lastTime <= time) + 1;
    const block = this.#blocks[at];
    if (block !== undefined) {
      if (block.isFull) this.#blocks.splice(at + 1, 0, block.splitOff(block.countBefore(time)));
      return block;
    }
    const newest = this.#blocks.at(-1);
    if (newest?.isFull === false) return newest;
    newest?.close();
    const next = new FeedBlock(this.#blockOptions);
    this.#blocks.push(next);
    return next;
  }

  /** The post is erased. */
  remove(post: number): void {
    for (const block of this.#blocks) block.remove(post);
  }

  /** Adds words to a block, as `FeedBlock.build`. @throws TextUnavailable */
  build(block: FeedBlock, isOver: () => boolean): void {
    const later = block.build(isOver);
    if (later !== undefined) this.#blocks.splice(this.#blocks.indexOf(block) + 1, 0, later);
  }

  /**
   * Takes a step of the work that no request waits for, in the newest block that needs it: adds words, or
   * packs a block.
   * @param isOver as of `build`
   * @returns false if nothing is left to do
   * @throws TextUnavailable
   */
  advance(isOver: () => boolean): boolean {
    const block = this.#blocks.findLast(({ isFinished }) => !isFinished);
    if (block === undefined) return false;
    if (block.isBuilt) block.finish();
    else this.build(block, isOver);
    return true;
  }

  /**
   * @param texts for the comparison of texts; its slice ends the slice of the search
   * @throws TextUnavailable
   */
  search(filter: FeedFilter, { before, limit, maxCandidates }: FeedRange, texts: TextBudget): FeedSlice {
    const { words = [] } = filter;
    const hashes = [...new Set(words.map(this.#hash))];
    const end = before === undefined ? Infinity : toTimeKey(before);
    const posts: string[] = [];
    let candidates = maxCandidates;
    const stopAt = (
      examinedTo: Timestamp | null,
      { isPaused = false, unbuilt }: Partial<Pick<FeedSlice, 'isPaused' | 'unbuilt'>> = {},
    ): FeedSlice => ({ posts, examinedTo, candidates, isPaused, unbuilt });
    for (const block of this.#blocks.toReversed()) {
      let lists: readonly PostingList[] | undefined;
      for (let slot = block.countBefore(end) - 1; slot >= 0; ) {
        const time = block.timeAt(slot);
        // The post of the last time is compared without the index, whatever the bounds are.
        if (time !== LAST_TIME) {
          if (candidates <= 0 || texts.isSpent) return stopAt(afterTime(time));
          if (texts.isSliceOver) return stopAt(afterTime(time), { isPaused: true });
          if (words.length > 0 && !block.isBuilt) return stopAt(afterTime(time), { unbuilt: block });
          if (lists === undefined) {
            lists = block.lists(hashes, filter);
            for (const { cost } of lists) candidates -= cost;
          }
          candidates -= 1;
          const found = stepDown(lists, slot);
          if (found < slot) {
            slot = found;
            continue;
          }
        }
        const post = block.postAt(slot);
        slot -= 1;
        if (!this.#matches(post, filter, texts)) continue;
        posts.push(this.#posts.idOf(post));
        if (posts.length === limit) return stopAt(toTimestamp(time));
      }
    }
    return stopAt(null);
  }

  #matches(post: number, { words = [], prefix, threads }: FeedFilter, texts: TextBudget): boolean {
    if (!this.#posts.isVisible(post)) return false;
    if (prefix !== undefined && this.#posts.prefixOf(post) !== prefix) return false;
    if (threads === true && !this.#posts.isFirst(post)) return false;
    if (words.length === 0) return true;
    const compared = this.#posts.textsOf(post);
    return compared !== undefined && texts.holdsWords(compared, words);
  }
}

/** @returns the bound of a page that continues with the post of this time */
function afterTime(time: TimeKey): Timestamp {
  return successorOf(toTimestamp(time));
}

/** @returns `slot` if all lists hold it, otherwise a lower one above which they have none in common; or -1 */
function stepDown(lists: readonly PostingList[], slot: number): number {
  for (const list of lists) {
    const found = list.floor(slot);
    if (found < slot) return found;
  }
  return slot;
}
