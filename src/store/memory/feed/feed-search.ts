import { setImmediate as nextTurn } from 'node:timers/promises';
import { SLICE_MS, startSlice } from '#store/slice.ts';
import { TextBudget } from '#store/engine/text-budget.ts';
import type { FeedFilter, FeedRange } from '#store/store.ts';
import type { FeedIndex, FeedMatches } from './feed-index.ts';
import { TextUnavailable } from '#store/memory/text-unavailable.ts';
import type { FeedSegment } from './segment.ts';

/** How often new posts are looked for; a search before that adds their words itself. */
const IDLE_MS = 1000;

/**
 * Searches the index of the feed, and adds the words of posts to it: the newest segment first, in slices, so that neither
 * opening a store nor a write waits for it.
 */
export class FeedSearch {
  readonly #current: () => FeedIndex;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** The building of a segment that searches wait for; another one begins after it. */
  #building: Promise<void> | undefined;

  /** @param current the index of the moment: a log that is read anew gets another one */
  constructor(current: () => FeedIndex) {
    this.#current = current;
  }

  /** Keeps the words of all posts in the index from now on. */
  start(): void {
    // Not at once: a server that has just started answers its first requests first.
    if (this.#timer === undefined && !this.#stopped) this.#schedule(IDLE_MS);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /**
   * Builds at most one segment for a search, and ends the page before a second one. A long search pauses, so a post of the
   * result may be hidden or erased by now.
   * @param freshIndex resolves once the index holds every change that was durable at the time of the call
   * @throws TextUnavailable
   */
  async search(
    filter: FeedFilter,
    range: FeedRange,
    freshIndex: () => Promise<FeedIndex>,
  ): Promise<FeedMatches> {
    const texts = new TextBudget();
    const posts: string[] = [];
    let { before, maxCandidates } = range;
    for (let hasBuilt = false; ; ) {
      const index = await freshIndex();
      const rest = { before, limit: range.limit - posts.length, maxCandidates };
      const slice = index.search(filter, rest, texts, this.#startSlice());
      if (filter.words !== undefined) this.start();
      posts.push(...slice.posts);
      const { unbuilt: segment, examinedTo } = slice;
      if (segment !== undefined && !hasBuilt) hasBuilt = await this.#buildAfterOthers(segment, index);
      else if (slice.isPaused) await texts.nextSlice();
      else return { posts, examinedTo };
      before = examinedTo ?? undefined;
      maxCandidates = slice.candidates;
    }
  }

  /** Searches that wait for one segment do not build beside it. */
  #startSlice(): () => boolean {
    return this.#building === undefined ? startSlice() : () => true;
  }

  /** @returns false if another index replaced this one meanwhile */
  async #buildAfterOthers(segment: FeedSegment, index: FeedIndex): Promise<boolean> {
    while (this.#building !== undefined) await this.#building;
    await (this.#building = this.#build(segment, index).finally(() => (this.#building = undefined)));
    return this.#stopped || this.#current() === index;
  }

  async #build(segment: FeedSegment, index: FeedIndex): Promise<void> {
    while (!segment.isBuilt && !this.#stopped && this.#current() === index) {
      segment.build(startSlice());
      await nextTurn();
    }
  }

  #schedule(delay: number): void {
    this.#timer = setTimeout(() => {
      const segment = this.#current().unfinished();
      this.#schedule(segment !== undefined && buildFurther(segment) ? SLICE_MS : IDLE_MS);
    }, delay).unref();
  }
}

/** @returns false if a text cannot be read now: another process is erasing it, or the disk fails */
function buildFurther(segment: FeedSegment): boolean {
  try {
    segment.buildAndFreeze(startSlice());
    return true;
  } catch (error) {
    if (error instanceof TextUnavailable) return false;
    throw error;
  }
}
