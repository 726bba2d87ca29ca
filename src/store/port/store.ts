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
 * Reads see the durable writes of every process, and no hidden records unless stated otherwise. Once one
 * process has returned a record, every other process can find it by id, timestamp and line number. If the
 * storage cannot be read, the PostgreSQL engine rejects with `StoreFailure`. The folder engine continues with
 * the state that it read last, and rejects with `StoreFailure` if it cannot read a text.
 */
export interface Reader {
  /** @returns undefined for an unknown, hidden or erased record */
  find<K extends Kind>(kind: K, id: string): Promise<CountedRecord<K> | undefined>;
  page<K extends Kind>(kind: K, range: Range): Promise<CountedRecord<K>[]>;
  /** The visible posts that match. A page may end early, so its cost does not depend on their number. */
  feed(filter: FeedFilter, range: FeedRange): Promise<FeedResult>;
  /** The visible posts that match, oldest first. A page may end early. */
  news(filter: NewsFilter, range: NewsRange): Promise<NewsResult>;
  newsOfThreads(filter: NewsFilter, range: NewsRange): Promise<NewsResult<PostOfThread>>;
  /**
   * Threads that have a visible post, in the order of their last one. The cost does not depend on the size of
   * the store, except in the first call of a process on a folder.
   */
  threads(range: ThreadRange): Promise<ThreadPage>;
  /** What a page shows about the posts that it names, in one query. */
  related(query: RelatedQuery): Promise<Related>;
  /** Visible posts that refer to a post, by `refersTo`, newest first. The post need not be visible. */
  referrersOf(id: string, limit: number): Promise<PostHead[]>;
  totals(): Promise<Totals>;
  /** In ascending order, without days that have no visible post. Examines every post of the range. */
  dayCounts(range: TimeRange): Promise<DayCount[]>;
  /** The visible first posts, newest first. It may examine every post, and reads no text. */
  firstPosts(limit: number): Promise<Pick<Post, 'id' | 'createdAt'>[]>;
  /**
   * The messages from which the lists of work are derived, oldest first: the visible ones, and those held by
   * reports as `toHeld` returns them. They are those of `windowOf` and up to `WINDOW.all` before them. Newer
   * steps are added to the array that was returned before. After any other change another array is returned,
   * in which the unchanged steps are the same objects.
   */
  steps(): Promise<readonly Step[]>;
  /** @returns the visible posts, in the order of the ids */
  posts(ids: readonly string[]): Promise<CountedRecord<'post'>[]>;
  /** @returns the number of visible posts, at most `limit` */
  countPosts(range: TimeRange, limit: number): Promise<number>;
  /**
   * Ages of the newest writes of a client that are younger than `windowMs`, including hidden and erased ones.
   * @returns at most `limit` ages in milliseconds, youngest first; negative if a clock was ahead
   */
  recentWriteAges(clientKey: string, scope: LimitScope, windowMs: number, limit: number): Promise<number[]>;
  /** @returns the records with these ids, hidden or not, in no order */
  records(ids: readonly string[]): Promise<ExportedRecord[]>;
  /** Newest first. @param before exclusive */
  moderations(limit: number, before?: Timestamp): Promise<ModerationEntry[]>;
  /** All records, hidden ones too, then the moderation log, both oldest first. Contains no write origin. */
  history(): AsyncIterable<ExportedRecord | ModerationEntry>;
  /**
   * The public lines after the last one that the caller has, in the order in which they were stored or
   * imported. A note is public while its project is neither hidden nor erased.
   * @param after a line, which need not be public any more; null to begin with the first line
   * @returns null if the line with this number has another id or time: it is another log, or it was
   *   restored. The time of an erased record is not compared
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
 * One change of the store. A new operation has the timestamp that `decide` was given, an imported one its
 * original timestamp. An added record without an origin counts against no limit. An erase removes the text
 * from the storage by the time `Store.write` resolves; erasing an erased record repeats the removal, in case
 * the first one was interrupted.
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
   * Ids of the records whose pages show or count this one. For a note: its project. For a reply: its parent,
   * the parent of its parent unless its parent is erased, and the root. For any post: the posts that it
   * names, which need not exist. Empty for an unknown record.
   */
  readonly ancestors: readonly string[];
}

export interface Health {
  /** Whether the last write succeeded. */
  readonly writable: boolean;
  /** The failure, worded for an operator; null if writable. */
  readonly reason: string | null;
  /** Whether `Store.watch` reports changes by other processes, at most 250 ms late. Reads see them at once. */
  readonly notifying: boolean;
}

/** The client of a write, in a form that does not reveal it. */
export interface WriteSource {
  /** The client key in a form that only the engine can compare: encrypted anew, or as a tag. */
  readonly sealed: string;
  /** The tag of its network by `widenNetwork`; absent if the engine can decrypt `sealed`. */
  readonly sealedNetwork?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The writes of the client on the UTC day, and those of all clients. */
  readonly writes: number;
  readonly allWrites: number;
  /** Always false if the store was opened without the visitor secret, which it needs to compare clients. */
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
   * throws, nothing is stored, and the promise rejects with that error once the writes that `decide` saw are
   * durable.
   * @param lookups include the record that the operation names, and the parent of a record that it adds
   * @param decide sees the durable writes and those accepted before it. It may run more than once, so it must
   *   have no side effects
   * @throws StoreFailure if this write or one that it saw could not be stored, or if the outcome is unknown;
   *   also for a new record whose id exists or was erased
   */
  write<const L extends Lookups, Result>(
    lookups: L,
    decide: (found: LookupResults<L>) => Decision<Result>,
  ): Promise<Result>;
  /**
   * What `Reader.steps` returned last, with later steps of this process; undefined before the first call.
   * Absent if other instances may write unnoticed.
   */
  knownSteps?(): readonly Step[] | undefined;
  /** Calls a listener for every change by any process, once reads see it. @returns a function that ends it */
  watch(listener: (change: Change) => void): () => void;
  /** Destroys expired client keys. A command calls it for a store that no server has open. */
  forgetClients(): Promise<{ readonly destroyed: number; readonly unit: 'keys' | 'rows' }>;
  /** Finds who wrote a record. @returns undefined if no one wrote it in the last 24 hours */
  findWriteSource(id: string): Promise<WriteSource | undefined>;
  /** Builds the search index in the background. Absent if each write updates the index. */
  prepareSearch?(): void;
  /** The size at the last read or write, or a few seconds ago. Undefined until it is measured. */
  sizeInBytes(): number | undefined;
  /** The size of the search index in memory. Absent if the engine keeps none there. */
  searchIndexBytes?(): number;
  /** Tells the operator, in sentences, what may still hold the text of a record after `erase`. */
  readonly remainsAfterErase: string;
  /** If the last write failed, tries to write first. Never rejects. */
  health(): Promise<Health>;
  /** Resolves after the queued writes have finished. Later writes are rejected with `StoreFailure`. */
  close(): Promise<void>;
}

/** A failure of the storage, for a call whose input was valid. */
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
  /** What the history lacks because of damage; empty if the folder is undamaged. */
  readonly losses: readonly Loss[];
  readonly frozen: boolean;
}

/** A damaged place of a folder. It has no text from the folder. */
export interface Loss {
  readonly file: string;
  /** The offsets of the first byte and of the byte after the last; undefined for a whole file. */
  readonly bytes?: readonly [from: number, to: number];
  /** The rest of a sentence that begins with the place. */
  readonly what: string;
}
