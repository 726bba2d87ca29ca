import type { Post, Timestamp } from '#store/records.ts';
import { takesUp } from '#store/references.ts';
import type { Range } from '#store/store.ts';
import { NONE } from './int32-column.ts';
import { mergeDistinct } from './merge-distinct.ts';
import { TakerIndex } from './taker-index.ts';
import { ThreadIndex } from './thread-index.ts';

/** A post of the index. */
interface LinkedPost {
  readonly record: Post;
  /** As `PostLinks.arrive` gave it. */
  readonly number: number;
}

/** Threads, and which post takes up which. Posts have numbers, so that links are columns of numbers. */
export class PostLinks<Entry extends LinkedPost> {
  readonly #find: (id: string) => Entry | undefined;
  /** By number; undefined for an id of `#absent`. */
  readonly #posts: (Entry | undefined)[] = [];
  /** Numbers of ids that a post names or stands under and that no record has: erased, or not there yet. */
  readonly #absent = new Map<string, number>();
  readonly #threads = new ThreadIndex((post) => this.#createdAt(post));
  readonly #takers = new TakerIndex({
    isBefore: (post, other) => this.#createdAt(post) < this.#createdAt(other),
    isResult: (post) => this.#posts[post]?.record.prefix === 'RESULT',
  });

  /** @param find returns a post that arrived and was not erased, hidden or not */
  constructor(find: (id: string) => Entry | undefined) {
    this.#find = find;
  }

  /** Takes in a post, which is not visible yet. @returns its entry, made of its number */
  arrive(record: Post, toEntry: (number: number) => Entry): Entry {
    const number = this.#reserve(record.id);
    this.#absent.delete(record.id);
    const entry = toEntry(number);
    this.#posts[number] = entry;
    const targets = takesUp(record).map((id) => this.#reserve(id));
    this.#takers.arrive(number, targets);
    return entry;
  }

  /** The post becomes visible (1), or ceases to be (-1). */
  update({ record, number }: Entry, sign: 1 | -1): void {
    const root = record.rootId === record.id ? number : this.#reserve(record.rootId);
    if (sign === 1) {
      this.#threads.add(root, number);
      this.#takers.show(number);
    } else {
      this.#threads.remove(root, number);
      this.#takers.hide(number);
    }
  }

  /** The post, which is hidden, is removed. What others refer to keeps its number. */
  erase({ record, number }: Entry): void {
    this.#posts[number] = undefined;
    this.#absent.set(record.id, number);
  }

  threadSize(rootId: string): number {
    const root = this.#numberOf(rootId);
    return root === undefined ? 0 : this.#threads.size(root);
  }

  /** @param entry of a visible post */
  isLastOfThread({ record, number }: Entry): boolean {
    const root = record.rootId === record.id ? number : this.#numberOf(record.rootId);
    return root !== undefined && this.#threads.last(root) === number;
  }

  /** @param at returns the visible posts with a timestamp, so that a page starts at its cursor */
  thread(rootId: string, range: Range, at: (stamp: Timestamp) => readonly Entry[]): Entry[] {
    const root = this.#numberOf(rootId);
    if (root === undefined) return [];
    const cursor = range.order === 'oldest' ? range.after : range.before;
    const start =
      cursor === undefined ? undefined : at(cursor).find(({ record }) => record.rootId === rootId);
    return this.#toEntries(this.#threads.page(root, range, start?.number ?? NONE));
  }

  /** @returns at most `limit` visible posts that take up the post, newest first */
  takersOf(id: string, limit: number): Entry[] {
    const target = this.#numberOf(id);
    return target === undefined ? [] : this.#toEntries(this.#takers.takersOf(target, limit));
  }

  /**
   * @param nearby the first visible posts later than the timestamp, which show the place in most threads that are long
   * @yields the visible posts that take up one of these posts or stand in a thread that one begins, without these posts,
   *   later than the timestamp and oldest first. It must not go on after a post ceased to be visible.
   */
  *answersAfter(ids: readonly string[], after: Timestamp, nearby: readonly Entry[]): Generator<Entry, void> {
    const isLater = (post: number): boolean => this.#createdAt(post) > after;
    const first = (holds: (entry: Entry) => boolean): number => nearby.find(holds)?.number ?? NONE;
    const own = new Set<number>();
    const lists = [...new Set(ids)].flatMap((id) => {
      const target = this.#numberOf(id);
      if (target === undefined) return [];
      own.add(target);
      return [
        this.#threads.postsFrom(
          target,
          first(({ record }) => record.rootId === id),
          isLater,
        ),
        this.#takers.takersFrom(
          target,
          first(({ number }) => this.#takers.takesUp(number, target)),
          isLater,
        ),
      ];
    });
    const isBefore = (post: number, other: number): boolean => this.#createdAt(post) < this.#createdAt(other);
    for (const post of mergeDistinct(lists, isBefore)) {
      const entry = own.has(post) ? undefined : this.#posts[post];
      if (entry !== undefined) yield entry;
    }
  }

  /** @returns the post that has the number; undefined if it is erased or not there yet */
  entryAt(number: number): Entry | undefined {
    return this.#posts[number];
  }

  /** As `TakerIndex.forEachReference`. */
  forEachReference(post: number, action: (reference: number, target: number) => void): void {
    this.#takers.forEachReference(post, action);
  }

  /** @returns the post of a reference */
  takerOf(reference: number): number {
    return this.#takers.takerOf(reference);
  }

  /** @returns the visible posts that take up a post, newest first */
  visibleTakers(target: number): readonly number[] {
    return this.#takers.takersOf(target, Infinity);
  }

  /** Whether a visible RESULT that is later takes up the post. */
  hasLaterResult({ number, record }: Entry): boolean {
    const newest = this.#takers.newestResult(number);
    return newest !== NONE && this.#createdAt(newest) > record.createdAt;
  }

  #numberOf(id: string): number | undefined {
    return this.#find(id)?.number ?? this.#absent.get(id);
  }

  #reserve(id: string): number {
    const known = this.#numberOf(id);
    if (known !== undefined) return known;
    const number = this.#posts.push(undefined) - 1;
    this.#absent.set(id, number);
    return number;
  }

  #createdAt(post: number): Timestamp {
    return this.#posts[post]?.record.createdAt ?? '';
  }

  #toEntries(posts: readonly number[]): Entry[] {
    return posts.map((post) => this.#posts[post]).filter((entry) => entry !== undefined);
  }
}
