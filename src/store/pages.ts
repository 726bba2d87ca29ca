import type { RecordView, Records, Timestamp } from './records.ts';
import type { Alternatives } from './words.ts';
import type { DueTime, WorkList } from './work/work-rules.ts';

// Ranges that reads ask for, and the pages that they return.

/** What a list of posts shows of each. */
export type PostHead = Pick<Records['post'], 'id' | 'prefix' | 'createdAt'> & {
  readonly name: string | null;
};

/** A range of one collection by `createdAt`. Both bounds are exclusive. */
export interface Range {
  /** The id of a post or project: only its direct replies or its notes. */
  within?: string;
  /** The id of a first post, which need not be visible or exist: only the posts of its thread, it included. */
  thread?: string;
  before?: Timestamp | undefined;
  after?: Timestamp | undefined;
  /** The end of the range that the page starts at, and the order of its records. */
  order: 'newest' | 'oldest';
  limit: number;
}

/** Which visible posts a feed shows. */
export interface FeedFilter {
  /** A post matches if `wordsOf` (words.ts) of it has them all. */
  readonly words?: readonly string[] | undefined;
  /** Null: posts without a prefix. */
  readonly prefix?: string | null | undefined;
  /** Whether only first posts match. */
  readonly threads?: boolean | undefined;
}

/** A range of the feed that is read newest first. */
export interface FeedRange {
  /** Exclusive. */
  readonly before?: Timestamp | undefined;
  readonly limit: number;
  /** About how many posts may be looked at; the page may end early. */
  readonly maxCandidates: number;
}

/** One page of a filtered feed. */
export interface FeedResult {
  /** At most `limit`, newest first. */
  readonly items: RecordView<'post'>[];
  /** Every matching post of the range from here on is in `items`; `before` of the next page. Null if nothing is older. */
  readonly examinedTo: Timestamp | null;
}

/** Posts by `createdAt`. Both bounds are exclusive, and may be a date alone, which is before every timestamp of that day. */
export interface TimeRange {
  readonly after?: Timestamp | undefined;
  readonly before?: Timestamp | undefined;
}

/** The visible posts of one day. */
export interface DayCount {
  /** In UTC: `2026-11-21`. */
  readonly day: string;
  /** `none` counts the posts without a prefix. A prefix without posts is absent. */
  readonly byPrefix: Readonly<Record<string, number>>;
}

/** A range of threads by their last activity, newest first. */
export interface ThreadRange {
  /** Exclusive, of `lastAt`. */
  readonly before?: Timestamp | undefined;
  readonly limit: number;
  /** How many visible posts are looked at; the page may end early. */
  readonly maxCandidates: number;
}

/** A thread that has a visible post. */
export interface ThreadHead {
  /** The first post of the thread; if that is not visible, the oldest visible one. */
  readonly post: RecordView<'post'>;
  /** Visible posts of the whole thread. */
  readonly size: number;
  /** When its last visible post was published. No two threads share it. */
  readonly lastAt: Timestamp;
}

export interface ThreadPage {
  /** At most `limit`, by `lastAt`, newest first. */
  readonly items: ThreadHead[];
  /** Every thread of the range from here on is in `items`; `before` of the next page. Null if nothing is older. */
  readonly examinedTo: Timestamp | null;
}

/** Which later posts are news to a reader. */
export interface NewsFilter extends Pick<FeedFilter, 'words' | 'prefix'> {
  /** Ids, which need not exist: only posts that take one up, or stand in a thread that one begins; never these posts. */
  readonly posts?: readonly string[] | undefined;
  /** Lists of words: a post matches if `wordsOf` (words.ts) of it has all words of one of them. */
  readonly any?: Alternatives | undefined;
}

/** A range of the feed that is read oldest first. */
export interface NewsRange {
  /** Exclusive; undefined: from the beginning. */
  readonly after?: Timestamp | undefined;
  readonly limit: number;
  /** About how many posts may be looked at; the page may end early. */
  readonly maxCandidates: number;
}

/** One page of news, and the state of the store that it was read from. */
export interface NewsResult {
  /** At most `limit`, oldest first, none later than `latest`. */
  readonly items: RecordView<'post'>[];
  /** `after` of the next page, later than `after` of this one. Null if nothing up to `latest` was left out. */
  readonly examinedTo: Timestamp | null;
  /** The latest timestamp of the store; null while it is empty. */
  readonly latest: Timestamp | null;
  /** Visible posts later than `after`, at most `MAX_COUNTED_NEWS`; null with a filter, since only a walk would tell. */
  readonly newer: number | null;
  /** The posts of the filter that are not visible. */
  readonly unknownPosts: readonly string[];
}

/** Later posts are not counted. */
export const MAX_COUNTED_NEWS = 1000;

/** Posts that take up one of some posts, or stand in their threads, that one read of what is new looks at. */
export const MAX_ANSWERS = 1000;

/** A range of a list of work. Both bounds are exclusive. */
export interface WorkRange {
  /** The end of the range that the page starts at, and the order of its items. */
  readonly order: 'newest' | 'oldest';
  readonly before?: Timestamp | undefined;
  readonly after?: Timestamp | undefined;
  readonly limit: number;
  /** An item matches if `wordsOf` (words.ts) of it has them all. */
  readonly words?: readonly string[] | undefined;
  /** With words: how many items are looked at; the page may end early. */
  readonly maxCandidates: number;
}

/** A post on a list of work. */
export interface WorkItem extends RecordView<'post'> {
  /** Of a WORK: the time that is in force, which a later RESULT may have given. */
  readonly due?: DueTime;
}

export interface WorkPage {
  /** At most `limit`, in order. */
  readonly items: WorkItem[];
  /** Every matching item of the range up to here is in `items`; the cursor of the next page. Null if nothing follows. */
  readonly examinedTo: Timestamp | null;
}

export interface WorkCounts {
  /** At most 1000 each. */
  readonly counts: Readonly<Record<WorkList, number>>;
  /** When the clock alone changes a list next, milliseconds since 1970; null if it does not. */
  readonly changesAt: number | null;
}

/** A post, and the WORKs under way that take it up: at most six, newest first. */
export interface Standing {
  readonly id: string;
  readonly prefix: string | null;
  readonly underWay: readonly {
    readonly id: string;
    readonly name: string | null;
    /** Milliseconds since 1970. */
    readonly dueAt: number;
  }[];
}
