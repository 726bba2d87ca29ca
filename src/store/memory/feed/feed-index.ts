import { randomInt } from 'node:crypto';
import type { TextBudget } from '#store/engine/text-budget.ts';
import { LAST_TIMESTAMP, successorOf } from '#store/engine/timestamp.ts';
import { hashWord } from '#store/engine/word-hash.ts';
import type { Timestamp } from '#store/records.ts';
import { toTimeKey, toTimestamp, type TimeKey } from '#store/memory/columns/time-key.ts';
import type { FeedFilter, FeedRange } from '#store/store.ts';
import type { FeedPosts } from './feed-posts.ts';
import type { Intersection } from './intersection.ts';
import { FeedSegment } from './segment.ts';

/** A slot of a segment has 16 bits. */
const SEGMENT_SIZE = 65_536;

/** How many lists of words are asked in the time of one candidate. */
const LOOKUPS_PER_CANDIDATE = 4;

/** How many trait bytes are read in the time of one candidate. */
const TRAITS_PER_CANDIDATE = 64;

/** No page can end before it. */
const LAST_TIME = toTimeKey(LAST_TIMESTAMP);

/** All further prefixes have this code, and a search compares the prefix of each post. */
const MAX_PREFIX_CODE = 127;

export interface FeedMatches {
  /** Ids, since another index may have other numbers. */
  readonly posts: string[];
  /** As in `FeedResult`. */
  readonly examinedTo: Timestamp | null;
}

/** A page, or its beginning. */
export interface FeedSlice extends FeedMatches {
  /** How much is left of `maxCandidates`. */
  readonly candidates: number;
  /** Whether the search goes on from `examinedTo` after a pause. */
  readonly isPaused: boolean;
  /** The segment that has to be built for the search to go on from `examinedTo`. */
  readonly unbuilt: FeedSegment | undefined;
}

/** A place in a segment: no post above this rank matches that was not returned. */
interface Cursor {
  readonly segment: FeedSegment;
  /** Undefined until the segment is opened. */
  common: Intersection | undefined;
  rank: number;
  /** Of the post at `rank`. */
  time: TimeKey;
}

/**
 * All posts, hidden ones too, searched newest first. A segment holds the posts that arrived one after another, so the
 * times of two segments overlap where older posts were imported: a search merges them.
 */
export class FeedIndex {
  readonly #posts: FeedPosts;
  readonly #segmentSize: number;
  readonly #hash: (word: string) => number;
  readonly #segments: FeedSegment[] = [];
  /** The trait byte holds a code of the prefix and, in its lowest bit, whether it is a first post. */
  readonly #prefixCodes = new Map<string | null, number>();

  /** @param seed of the hashes of words: random, so that words with equal hashes cannot be prepared */
  constructor(posts: FeedPosts, { segmentSize = SEGMENT_SIZE, seed = randomInt(2 ** 32) } = {}) {
    this.#posts = posts;
    this.#segmentSize = segmentSize;
    this.#hash = (word) => hashWord(word, seed) >>> 0;
  }

  add(post: number): void {
    let segment = this.#segments.at(-1);
    if (segment === undefined || segment.isFull) {
      segment = new FeedSegment(this.#posts, this.#segmentSize, this.#hash);
      this.#segments.push(segment);
    }
    const code = this.#codeOf(this.#posts.prefixOf(post));
    segment.add(post, (code << 1) | (this.#posts.isFirst(post) ? 1 : 0));
  }

  #codeOf(prefix: string | null): number {
    const known = this.#prefixCodes.get(prefix);
    if (known !== undefined) return known;
    const code = Math.min(this.#prefixCodes.size, MAX_PREFIX_CODE);
    this.#prefixCodes.set(prefix, code);
    return code;
  }

  /** The post is erased. */
  remove(post: number): void {
    for (const segment of this.#segments) segment.remove(post);
  }

  /** @returns the newest segment in which `buildAndFreeze` has something to do */
  unfinished(): FeedSegment | undefined {
    return this.#segments.findLast((segment) => !segment.isFinished);
  }

  /**
   * @param texts for the comparison of texts; its slice ends the slice of the search
   * @param isOver ends the building of words in a segment that has only a few posts to build
   * @throws TextUnavailable
   */
  search(
    filter: FeedFilter,
    { before, limit, maxCandidates }: FeedRange,
    texts: TextBudget,
    isOver: () => boolean,
  ): FeedSlice {
    const posts: string[] = [];
    const { words = [] } = filter;
    const hashes = [...new Set(words.map(this.#hash))];
    const accepts = this.#acceptedTraits(filter);
    const cursors = this.#cursorsBefore(before === undefined ? undefined : toTimeKey(before));
    let candidates = maxCandidates;
    const stopAt = (examinedTo: Timestamp | null): FeedSlice => ({
      posts,
      examinedTo,
      candidates,
      isPaused: false,
      unbuilt: undefined,
    });
    for (;;) {
      const cursor = nextCursor(cursors);
      if (cursor === undefined) return stopAt(null);
      const { segment } = cursor;
      // The post of the last time is compared without the index, whatever the bounds are.
      const isLast = cursor.time === LAST_TIME;
      if (!isLast && (candidates <= 0 || texts.isSpent)) return stopAt(afterTime(cursor.time));
      if (!isLast && texts.isSliceOver) return { ...stopAt(afterTime(cursor.time)), isPaused: true };
      if (!isLast && cursor.common === undefined) {
        if (hashes.length > 0 && !segment.isBuilt) segment.build(isOver);
        if (hashes.length > 0 && !segment.isBuilt)
          return { ...stopAt(afterTime(cursor.time)), unbuilt: segment };
        cursor.common = segment.intersection(hashes, accepts);
        if (cursor.common === undefined) {
          moveTo(cursor, -1);
          candidates -= 1;
          continue;
        }
        candidates -= cursor.common.lookups / LOOKUPS_PER_CANDIDATE;
      }
      const lookups = cursor.common?.lookups ?? 0;
      const found = cursor.common?.stepDown(cursor.rank) ?? cursor.rank;
      candidates -= Math.max(1, ((cursor.common?.lookups ?? 0) - lookups) / LOOKUPS_PER_CANDIDATE);
      if (found < cursor.rank) {
        if (accepts !== undefined) candidates -= (cursor.rank - found) / TRAITS_PER_CANDIDATE;
        moveTo(cursor, found);
        continue;
      }
      const post = segment.postAt(found);
      moveTo(cursor, found - 1);
      if (!this.#posts.isVisible(post) || !this.#matchesTraits(post, filter)) continue;
      const compared = words.length > 0 ? this.#posts.textsOf(post) : undefined;
      if (compared !== undefined && !texts.holdsWords(compared, words)) continue;
      posts.push(this.#posts.idOf(post));
      if (posts.length === limit) return stopAt(toTimestamp(this.#posts.timeOf(post)));
    }
  }

  #matchesTraits(post: number, { prefix, threads }: FeedFilter): boolean {
    if (prefix !== undefined && this.#posts.prefixOf(post) !== prefix) return false;
    return threads !== true || this.#posts.isFirst(post);
  }

  #acceptedTraits({ prefix, threads }: FeedFilter): Uint8Array | undefined {
    if (prefix === undefined && threads !== true) return undefined;
    const accepts = new Uint8Array(256);
    for (const [other, code] of this.#prefixCodes) {
      if (prefix !== undefined && other !== prefix) continue;
      accepts[(code << 1) | 1] = 1;
      if (threads !== true) accepts[code << 1] = 1;
    }
    return accepts;
  }

  #cursorsBefore(before: TimeKey | undefined): Cursor[] {
    const cursors = this.#segments.flatMap((segment): Cursor[] => {
      const rank = segment.rankBefore(before);
      return rank < 0 ? [] : [{ segment, common: undefined, rank, time: segment.timeOf(rank) }];
    });
    return cursors.sort((a, b) => (a.time < b.time ? -1 : 1));
  }
}

/** @returns the bound of a page that goes on with the post of this time */
function afterTime(time: TimeKey): Timestamp {
  return successorOf(toTimestamp(time));
}

function moveTo(cursor: Cursor, rank: number): void {
  cursor.rank = rank;
  if (rank >= 0) cursor.time = cursor.segment.timeOf(rank);
}

/**
 * Puts the cursors in order again after the last one has moved: the newest one is the last.
 * @returns it, undefined if all are at their end
 */
function nextCursor(cursors: Cursor[]): Cursor | undefined {
  const moved = cursors.at(-1);
  if (moved === undefined) return undefined;
  if (moved.rank < 0) {
    cursors.pop();
    return cursors.at(-1);
  }
  for (let index = cursors.length - 1; index > 0; index--) {
    const other = cursors[index - 1];
    if (other === undefined || other.time <= moved.time) break;
    cursors[index - 1] = moved;
    cursors[index] = other;
  }
  return cursors.at(-1);
}
