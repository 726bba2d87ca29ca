import { nextSlice, SLICE_MS, startSlice } from '#runtime/slice.ts';
import { TextBudget } from '#message/text-budget.ts';
import type { FeedFilter, FeedRange } from '#store/port/store.ts';
import type { FeedIndex, FeedMatches } from './feed/feed-index.ts';
import { TextUnavailable } from './stored-records.ts';

/** How often the index is looked at for posts without words. A search before that adds words itself. */
const IDLE_MS = 1000;

/** A search that has added words for this number of slices ends its page. */
const MAX_SLICES = 64;

/**
 * Searches the index of the feed, and adds the words of posts to it: the newest block first, in slices, so
 * that opening a store does not wait for it.
 */
export class FeedSearch {
  readonly #current: () => FeedIndex;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

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
   * Adds words to the blocks that it has to look at. A long search pauses, so a post of the result may be
   * hidden or erased by now.
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
    for (let slices = 0; ; ) {
      const index = await freshIndex();
      const rest = { before, limit: range.limit - posts.length, maxCandidates };
      const { unbuilt, isPaused, ...found } = index.search(filter, rest, texts);
      if (filter.words !== undefined) this.start();
      posts.push(...found.posts);
      if (unbuilt !== undefined && slices++ < MAX_SLICES) {
        index.build(unbuilt, startSlice());
        await nextSlice();
      } else if (isPaused) await texts.nextSlice();
      else return { posts, examinedTo: found.examinedTo };
      before = found.examinedTo ?? undefined;
      maxCandidates = found.candidates;
    }
  }

  #schedule(delay: number): void {
    this.#timer = setTimeout(() => {
      this.#schedule(this.#advance() ? SLICE_MS : IDLE_MS);
    }, delay).unref();
  }

  /**
   * @returns false if nothing is left to do, or a text cannot be read now: another process erases it, or the
   *   disk fails
   */
  #advance(): boolean {
    try {
      return this.#current().advance(startSlice());
    } catch (error) {
      if (error instanceof TextUnavailable) return false;
      throw error;
    }
  }
}
