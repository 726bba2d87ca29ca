import type { ExportedRecord, ModerationEntry, CountedRecord, Records, Timestamp } from './records.ts';
import type { Alternatives } from '#message/words.ts';

/** Ids of posts, which need not exist, in one list for each thing to read about them. */
export interface RelatedQuery {
  readonly posts?: readonly string[];
  readonly heads?: readonly string[];
  readonly known?: readonly string[];
  /** Each id costs a read of its thread. */
  readonly numbers?: readonly string[];
  /** Ids of first posts. */
  readonly sizes?: readonly string[];
}

/** What a `RelatedQuery` asks for, by id. */
export interface Related {
  /** The visible posts. */
  readonly posts: ReadonlyMap<string, CountedRecord<'post'>>;
  readonly heads: ReadonlyMap<string, Pick<PostHead, 'prefix' | 'name'> & Pick<Records['post'], 'rootId'>>;
  /** Ids of records that are visible, hidden or erased, even if a mirror never received the record. */
  readonly known: ReadonlySet<string>;
  /** The numbers of posts in their threads, from 1 on. Hidden posts have numbers too, erased posts do not. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The number of visible posts in the thread of each first post. */
  readonly sizes: ReadonlyMap<string, number>;
}

export type PostHead = Pick<Records['post'], 'id' | 'prefix' | 'createdAt'> & {
  readonly name: string | null;
  /** Its signer, by `toSigner`. */
  readonly mark: string | null;
};

/** A range of one collection by `createdAt`. Both bounds are exclusive. */
export interface Range {
  /** The id of a post or project: only its direct replies or its notes. */
  within?: string;
  /** The id of a first post, which need not exist: only the posts of its thread, including the first. */
  thread?: string;
  before?: Timestamp | undefined;
  after?: Timestamp | undefined;
  order: 'newest' | 'oldest';
  limit: number;
}

export interface FeedFilter {
  /** A post matches if each word matches one of its `wordsOf`, by `matchesWord` (words.ts). */
  readonly words?: readonly string[] | undefined;
  /** Null: posts without a prefix. */
  readonly prefix?: string | null | undefined;
  readonly threads?: boolean | undefined;
  /** A name exactly as it is stored. */
  readonly name?: string | undefined;
}

export interface FeedRange {
  readonly before?: Timestamp | undefined;
  readonly limit: number;
  /** Approximately how many posts may be examined. The page ends early once they are. */
  readonly maxCandidates: number;
}

export interface FeedResult {
  /** At most `limit`, newest first. */
  readonly items: CountedRecord<'post'>[];
  /** `before` of the next page: `items` has every match after this time. Null if nothing is older. */
  readonly examinedTo: Timestamp | null;
}

/** Bounds of `createdAt`, both exclusive. A date alone is before every timestamp of its day. */
export type TimeRange = Readonly<Pick<Range, 'after' | 'before'>>;

export interface DayCount {
  readonly day: string;
  /** `none` counts the posts without a prefix. A prefix without posts is absent. */
  readonly byPrefix: Readonly<Record<string, number>>;
}

/** A range of threads by `lastAt`. Both bounds are exclusive. */
export interface ThreadRange extends Readonly<Pick<Range, 'order' | 'before' | 'limit'>> {
  /** `ThreadHead.news` counts the posts after it. */
  readonly after?: Timestamp | undefined;
  /** Ids of posts that count neither as activity nor as news. They need not exist. */
  readonly except?: readonly string[] | undefined;
  /** The length of `ThreadHead.tail`. */
  readonly tail?: number;
}

export interface ThreadNews {
  /** The number of new posts, at most `MAX_COUNTED_NEWS`. */
  readonly count: number;
  /** The number of new posts by prefix; `none` counts those without one. A prefix without posts is absent. */
  readonly byPrefix: Readonly<Record<string, number>>;
  /** Id of the newest RESULT among the new posts; null if there is none. */
  readonly newestResult: string | null;
}

/** A thread that has a visible post. */
export interface ThreadHead {
  /** The first post of the thread or, if that is not visible, the oldest visible one. */
  readonly post: CountedRecord<'post'>;
  readonly size: number;
  /** When its last visible post was published. No two threads share it. */
  readonly lastAt: Timestamp;
  readonly lastId: string;
  readonly news?: ThreadNews;
  /** The newest visible posts, oldest first; only for a range with `tail`. */
  readonly tail?: readonly PostHead[];
}

export interface ThreadPage {
  /** At most `limit`, in the order of `lastAt`. `lastAt` of the last one is the cursor of the next page. */
  readonly items: ThreadHead[];
  /** The latest timestamp of the store; null while it is empty. */
  readonly latest: Timestamp | null;
}

export interface NewsFilter extends Pick<FeedFilter, 'words' | 'prefix'> {
  /** A post matches if it refers to one of these posts, or is in its thread. The ids need not exist. */
  readonly posts?: readonly string[] | undefined;
  /** A post matches if every word of one of these lists matches one of its `wordsOf`, by `matchesWord`. */
  readonly any?: Alternatives | undefined;
}

export interface NewsRange extends Omit<FeedRange, 'before'> {
  /** Exclusive; undefined: from the beginning. */
  readonly after?: Timestamp | undefined;
}

export type PostOfThread = Pick<Records['post'], 'id' | 'prefix' | 'rootId' | 'createdAt'>;

/** One page of news, and the state of the store from which it was read. */
export interface NewsResult<Found = CountedRecord<'post'>> {
  /** At most `limit`, oldest first, none later than `latest`. */
  readonly items: Found[];
  /** `after` of the next page. Null if everything up to `latest` was examined. */
  readonly examinedTo: Timestamp | null;
  /** The latest timestamp of the store; null while it is empty. */
  readonly latest: Timestamp | null;
  /** Visible posts later than `after`, at most `MAX_COUNTED_NEWS`; null with a filter. */
  readonly newer: number | null;
  /** The posts of the filter that are not visible. */
  readonly unknownPosts: readonly string[];
}

/** The last line of the public log that a reader has. */
export interface LogCursor {
  readonly n: number;
  /** The id of the record that the line adds or moderates. */
  readonly id: string;
  /** The time of the line, which shows whether the log was restored. Undefined if the reader sent none. */
  readonly at?: Timestamp | undefined;
}

/** A line adds a visible record or moderates one. An unhide also has the record, if that is visible. */
export interface LogLine {
  /** Numbers rise in the order of arrival, with gaps. */
  readonly n: number;
  readonly added?: ExportedRecord | undefined;
  readonly moderation?: ModerationEntry | undefined;
}

export interface LogPage {
  /** At most `limit`, in the order of arrival. */
  readonly lines: readonly LogLine[];
  readonly more: boolean;
  /** The number of the newest line of the store, which need not be public. 0 in an empty store. */
  readonly newest: number;
}

export const MAX_COUNTED_NEWS = 1000;

/** The maximum number of posts that one read of news with `NewsFilter.posts` examines. */
export const MAX_EXAMINED_NEWS = 1000;
