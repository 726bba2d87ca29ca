import { LAST_TIMESTAMP, successorOf } from '#store/engine/timestamp.ts';
import type { Post, Timestamp } from '#store/records.ts';
import type { FeedFilter, FeedRange } from '#store/store.ts';
import { holdsWords } from '#store/words.ts';
import { stepDown, type PostingList } from './posting-list.ts';
import { FeedSegment, hash32, type IndexedPost } from './segment.ts';

/** A number of a post in a segment has 16 bits. */
const SEGMENT_SIZE = 65_536;

/** How many candidates comparing the words of a text costs as much as. */
const TEXT_COST = 20;

/** How many trait bytes are read in the time of one candidate. */
const TRAITS_PER_CANDIDATE = 64;

/** All further prefixes have this code, and a search compares the prefix of each record. */
const MAX_PREFIX_CODE = 127;

export interface FeedMatches<Entry extends IndexedPost> {
  readonly posts: Entry[];
  /** As in `FeedResult`. */
  readonly examinedTo: Timestamp | null;
  /** The segment that has to be built for the search to go on. */
  readonly unbuilt?: FeedSegment<Entry>;
}

/** A place in a segment: no post above this rank matches that was not returned. */
interface Cursor<Entry extends IndexedPost> {
  readonly segment: FeedSegment<Entry>;
  /** Undefined until the segment is opened. */
  lists: readonly PostingList[] | undefined;
  rank: number;
  /** The timestamp of the post at `rank`. */
  time: Timestamp;
}

/**
 * All posts, hidden ones too, searched newest first. A segment holds the posts that arrived one after another, so the
 * timestamps of two segments overlap where older posts were imported: a search merges them.
 */
export class FeedIndex<Entry extends IndexedPost> {
  readonly #segmentSize: number;
  readonly #segments: FeedSegment<Entry>[] = [];
  /** The trait byte holds a code of the prefix and, in its lowest bit, whether it is a first post. */
  readonly #prefixCodes = new Map<string | null, number>();

  constructor(segmentSize = SEGMENT_SIZE) {
    this.#segmentSize = segmentSize;
  }

  add(post: Entry): void {
    let segment = this.#segments.at(-1);
    if (segment === undefined || segment.isFull) {
      segment = new FeedSegment(this.#segmentSize);
      this.#segments.push(segment);
    }
    const { prefix, parentId } = post.record;
    const code = this.#prefixCodes.get(prefix) ?? Math.min(this.#prefixCodes.size, MAX_PREFIX_CODE);
    this.#prefixCodes.set(prefix, code);
    segment.add(post, (code << 1) | (parentId === null ? 1 : 0));
  }

  remove(post: Entry): void {
    this.#segments.some((segment) => segment.remove(post));
  }

  /** @returns the newest segment of which some words are missing */
  unbuilt(): FeedSegment<Entry> | undefined {
    return this.#segments.findLast((segment) => segment.hasWork);
  }

  /** @param isOver ends the building of words in a segment that has only a few posts to build */
  search(
    filter: FeedFilter,
    { before, limit, maxCandidates }: FeedRange,
    isOver: () => boolean,
  ): FeedMatches<Entry> {
    const posts: Entry[] = [];
    const hashes = [...new Set(filter.words?.map(hash32))];
    const accepts = this.#acceptedTraits(filter);
    const cursors = this.#cursorsBefore(before);
    const costOfMatch = hashes.length === 0 ? 1 : TEXT_COST;
    let candidates = maxCandidates;
    for (;;) {
      const cursor = nextCursor(cursors);
      if (cursor === undefined) return { posts, examinedTo: null };
      const { segment } = cursor;
      // No page can end before the last timestamp: its post is compared without the index, whatever the bounds are.
      const isLast = cursor.time === LAST_TIMESTAMP;
      if (candidates <= 0 && !isLast) return { posts, examinedTo: successorOf(cursor.time) };
      if (cursor.lists === undefined && !isLast) {
        if (hashes.length > 0 && !segment.isBuilt) segment.build(isOver);
        if (hashes.length > 0 && !segment.isBuilt)
          return { posts, examinedTo: successorOf(cursor.time), unbuilt: segment };
        cursor.lists = segment.lists(hashes, accepts);
        if (cursor.lists === undefined) {
          moveTo(cursor, -1);
          candidates -= 1;
          continue;
        }
      }
      const found = cursor.lists === undefined ? cursor.rank : stepDown(cursor.lists, cursor.rank);
      if (found < cursor.rank) {
        candidates -= accepts === undefined ? 1 : 1 + (cursor.rank - found) / TRAITS_PER_CANDIDATE;
        moveTo(cursor, found);
        continue;
      }
      const post = segment.postAt(found);
      moveTo(cursor, found - 1);
      candidates -= costOfMatch;
      if (post === undefined || post.hidden || !matches(post.record, filter)) continue;
      posts.push(post);
      if (posts.length === limit) return { posts, examinedTo: post.record.createdAt };
    }
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

  #cursorsBefore(before: Timestamp | undefined): Cursor<Entry>[] {
    const cursors = this.#segments.flatMap((segment): Cursor<Entry>[] => {
      const rank = segment.rankBefore(before);
      return rank < 0 ? [] : [{ segment, lists: undefined, rank, time: segment.timeOf(rank) }];
    });
    return cursors.sort((a, b) => (a.time < b.time ? -1 : 1));
  }
}

function matches(post: Post, { words = [], prefix, threads }: FeedFilter): boolean {
  return (
    (prefix === undefined || post.prefix === prefix) &&
    (threads !== true || post.parentId === null) &&
    holdsWords(post, words)
  );
}

function moveTo<Entry extends IndexedPost>(cursor: Cursor<Entry>, rank: number): void {
  cursor.rank = rank;
  if (rank >= 0) cursor.time = cursor.segment.timeOf(rank);
}

/**
 * Puts the cursors in order again after the last one has moved: the newest one is the last.
 * @returns it, undefined if all are at their end
 */
function nextCursor<Entry extends IndexedPost>(cursors: Cursor<Entry>[]): Cursor<Entry> | undefined {
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
