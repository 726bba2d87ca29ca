import type { Step } from '#message/step.ts';
import type { LookupResults, Lookups, WriteOrigin } from './lookups.ts';
import type {
  ExportedRecord,
  Kind,
  LimitScope,
  ModerationEntry,
  Post,
  CountedRecord,
  Records,
  Timestamp,
} from './records.ts';
import type {
  DayCount,
  FeedFilter,
  FeedRange,
  FeedResult,
  LogCursor,
  LogPage,
  NewsFilter,
  NewsRange,
  NewsResult,
  PostHead,
  PostOfThread,
  Range,
  Related,
  RelatedQuery,
  ThreadPage,
  ThreadRange,
  TimeRange,
} from './pages.ts';

export interface Totals {
  readonly posts: number;
  readonly threads: number;
  /** Posts by prefix; `none` counts the posts without one. A prefix without posts may be absent. */
  readonly byPrefix: Readonly<Record<string, number>>;
  readonly guests: number;
  readonly projects: number;
}

/**
 * Reads see durable writes of every process, and no hidden records unless stated otherwise. What one process
 * has shown, the others find by its id, its time and the number of its line. If the storage cannot be read,
 * the PostgreSQL engine rejects with `StoreFailure`. The folder engine continues with the state that it read
 * last, and rejects with `StoreFailure` where it cannot read a text.
 */
export interface Reader {
  /** @returns undefined for an unknown, hidden or erased record */
  find<K extends Kind>(kind: K, id: string): Promise<CountedRecord<K> | undefined>;
  page<K extends Kind>(kind: K, range: Range): Promise<CountedRecord<K>[]>;
  /** The visible posts that match. A page may end early: its cost does not depend on their number. */
  feed(filter: FeedFilter, range: FeedRange): Promise<FeedResult>;
  /** The visible posts that match, oldest first. A page may end early. */
  news(filter: NewsFilter, range: NewsRange): Promise<NewsResult>;
  newsOfThreads(filter: NewsFilter, range: NewsRange): Promise<NewsResult<PostOfThread>>;
  /**
   * Threads that have a visible post, in the order of their last one. The cost does not depend on the size of
   * the store, except in the first call of a process on a folder.
   */
  threads(range: ThreadRange): Promise<ThreadPage>;
  /** Facts about the posts that a page names, in one query. */
  related(query: RelatedQuery): Promise<Related>;
  /** Visible posts that refer to a post, by `refersTo`, newest first. The post need not be visible. */
  referrersOf(id: string, limit: number): Promise<PostHead[]>;
  totals(): Promise<Totals>;
  /** By day, ascending, without days that have no visible post. Examines every post of the range. */
  dayCounts(range: TimeRange): Promise<DayCount[]>;
  /** The visible posts that begin a thread, newest first. May examine every post, and reads no text. */
  firstPosts(limit: number): Promise<Pick<Post, 'id' | 'createdAt'>[]>;
  /**
   * The messages from which the lists of work are derived, oldest first: the visible ones, and by `toHeld`
   * those that reports hold. They are those of `windowOf`, and at most `WINDOW.all` before them. While newer
   * steps arrive, it returns the same array, to which they are added. After any other change it returns
   * another array, in which steps that are the same as before are the same objects.
   */
  steps(): Promise<readonly Step[]>;
  /** @returns the visible posts, in the order of the ids */
  posts(ids: readonly string[]): Promise<CountedRecord<'post'>[]>;
  /** @returns the number of visible posts, at most `limit` */
  countPosts(range: TimeRange, limit: number): Promise<number>;
  /**
   * Ages of the newest writes of a client that are younger than `windowMs`, hidden and erased records
   * included.
   * @returns at most `limit` ages in milliseconds, youngest first; negative for a write of a clock that runs
   *   ahead
   */
  recentWriteAges(
    clientKey: string,
    limitScope: LimitScope,
    windowMs: number,
    limit: number,
  ): Promise<number[]>;
  /** @returns the records with these ids, hidden or not, in no order */
  records(ids: readonly string[]): Promise<ExportedRecord[]>;
  /** Newest first. @param before exclusive */
  moderations(limit: number, before?: Timestamp): Promise<ModerationEntry[]>;
  /** All records, hidden ones included, then the moderation log, both oldest first. Never a write origin. */
  history(): AsyncIterable<ExportedRecord | ModerationEntry>;
  /**
   * The public lines after the last one that the caller has, in the order in which they were stored or
   * imported. A note is public while its project is neither hidden nor erased.
   * @param after null: from the beginning. The line need not be public any more
   * @returns null if the line with this number has another id or time: it is another log, or it was
   *   restored. The time of a record that is erased is not compared
   */
  log(after: LogCursor | null, limit: number): Promise<LogPage | null>;
  frozen(): Promise<boolean>;
  /** The nearest times of records, visible or not, of moderations and of the store. */
  timestampsAround(
    at: Timestamp,
  ): Promise<{ readonly atOrBefore: Timestamp | null; readonly atOrAfter: Timestamp | null }>;
}

export interface FreezeOperation {
  action: 'freeze' | 'thaw';
  at: Timestamp;
}

/**
 * One change of the store. A new operation has the timestamp that `decide` was given, an imported one its original
 * timestamp. An added record without an origin counts against no limit. An erase removes the text from the
 * storage by the time `Store.write` resolves; erasing an erased record repeats the removal, in case the first
 * one was interrupted.
 */
export type WriteOperation =
  | { [K in Kind]: { action: 'add'; kind: K; record: Records[K]; origin?: WriteOrigin | undefined } }[Kind]
  | ModerationEntry
  | FreezeOperation;

export interface Decision<Result> {
  readonly result: Result;
  readonly operation?: WriteOperation | undefined;
}

/** A durable change of a record, by any process. */
export interface Change {
  readonly action: 'add' | ModerationEntry['action'];
  readonly kind: Kind;
  readonly id: string;
  /**
   * Ids of the records whose pages show or count this one: the project of a note; of a reply the post it
   * replies to, the parent of that post unless that post is erased, and the root; of any post those that it
   * names, which need not exist. Empty for an unknown record.
   */
  readonly ancestors: readonly string[];
}

export interface Health {
  /** Whether the last attempt to write succeeded. */
  readonly writable: boolean;
  /** The failure, worded for an operator; null if writable. */
  readonly reason: string | null;
  /** Whether `Store.watch` reports changes by other processes, at most 250 ms late. Reads see them at once. */
  readonly notifying: boolean;
}

/** The client of a write, in a form that does not reveal it. */
export interface WriteSource {
  /** The client key, encrypted or as a tag: the form in which the engine stores it. */
  readonly sealed: string;
  /** The tag of its network by `widenNetwork`; absent if the engine reads it from `sealed`. */
  readonly sealedNetwork?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The writes of the client on the UTC day, and those of all clients. */
  readonly writes: number;
  readonly allWrites: number;
  /** False also if the store was opened without the visitor secret, since it cannot compare clients then. */
  readonly isFrom: (clientKey: string) => boolean;
}

/** A value of the change counter; undefined if it is unknown right now. */
export type Revision = number | undefined;

/** The storage port of the workspace. Every engine passes `testStore` of test/contract. */
export interface Store {
  readonly read: Reader;
  /**
   * A counter of the changes by all processes, read after the call began. While it stays the same, so does
   * the result of every read. A result that was read at an undefined revision must not be cached.
   */
  revision(): Revision | Promise<Revision>;
  /**
   * Decides a write, serialized with the writes of all processes, and stores its operation. If `decide`
   * throws, nothing is stored. The promise then rejects with that error, once the writes that `decide` saw
   * are durable.
   * @param lookups include the record that the operation names, and the parent of a record that it adds
   * @param decide sees durable writes and the accepted writes before it. It may run more than once, so it has
   *   no side effects
   * @throws StoreFailure if storing failed, for this write or for one that it saw, or if the outcome is
   *   unknown; also for a new record whose id exists or was erased
   */
  write<const L extends Lookups, Result>(
    lookups: L,
    decide: (found: LookupResults<L>) => Decision<Result>,
  ): Promise<Result>;
  /**
   * What `Reader.steps` returned last, with later steps of this process. Undefined before that. Absent if
   * other instances may write unnoticed.
   */
  knownSteps?(): readonly Step[] | undefined;
  /** Notifies of every change, by any process, once reads see it. @returns a function that ends it */
  watch(listener: (change: Change) => void): () => void;
  /** Destroys client keys that have expired. A command calls it for a store that no server has open. */
  forgetClients(): Promise<{ readonly destroyed: number; readonly unit: 'keys' | 'rows' }>;
  /** Finds who wrote a record in the last 24 hours. @returns undefined if no one did */
  findWriteSource(id: string): Promise<WriteSource | undefined>;
  /** Builds the search index in the background. Absent if each write updates it. */
  prepareSearch?(): void;
  /** The size at the last read or write, or within the last few seconds. Undefined until it is measured. */
  sizeInBytes(): number | undefined;
  /** The size of the index in memory. Absent if the engine keeps no index there. */
  searchIndexBytes?(): number;
  /** Sentences for an operator: what may still hold the text of a record after `erase`. */
  readonly remainsAfterErase: string;
  /** Retries first if the last write failed. Never rejects. */
  health(): Promise<Health>;
  /** Resolves after the queued writes have finished. Later writes are rejected with `StoreFailure`. */
  close(): Promise<void>;
}

/** A failure of the storage. The input of the caller was valid. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  /** `nothing`: the write was rolled back. `unknown`: the write may or may not be durable. */
  readonly stored: 'nothing' | 'unknown';

  constructor(stored: 'nothing' | 'unknown', reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.stored = stored;
  }
}

export interface Salvage {
  readonly history: () => ReturnType<Reader['history']>;
  /** What is missing in the history because of damage; empty if the folder is undamaged. */
  readonly losses: readonly Loss[];
  readonly frozen: boolean;
}

/** A damaged place of a folder. It holds no text of the folder. */
export interface Loss {
  readonly file: string;
  /** The first byte, and the byte after the last one; undefined for a whole file. */
  readonly bytes?: readonly [from: number, to: number];
  /** Follows the place in a sentence. */
  readonly what: string;
}
