import type { FreezeOperation, Moderation } from './engine/operation.ts';
import type { AnswerablePrefix, Kind, LimitScope, Records, Timestamp } from './records.ts';

export type {
  AnswerablePrefix,
  GuestNote,
  Kind,
  LimitScope,
  Post,
  Project,
  ProjectNote,
  Records,
  Timestamp,
} from './records.ts';

/** A visible record, with the number of its visible direct replies (of a post) or notes (of a project). */
export interface RecordView<K extends Kind = Kind> {
  readonly record: Records[K];
  readonly children: number;
}

/** A range of one collection by `createdAt`. Both bounds are exclusive. */
export interface Range {
  /** The id of a post or project: only its direct replies or its notes. */
  within?: string;
  before?: Timestamp | undefined;
  after?: Timestamp | undefined;
  /** The end of the range that the page starts at, and the order of its records. */
  order: 'newest' | 'oldest';
  limit: number;
}

/** Counts of visible records. */
export interface Totals {
  readonly posts: number;
  readonly threads: number;
  /** Posts by prefix; `none` counts the posts without one. A prefix without posts may be absent. */
  readonly byPrefix: Readonly<Record<string, number>>;
  readonly guests: number;
  readonly projects: number;
}

/** A record as exports and imports carry it, hidden or not. */
export interface ExportedRecord<K extends Kind = Kind> {
  readonly kind: K;
  readonly record: Records[K];
}

/**
 * A public entry of the moderation log: what an operator did to a record, when and why. It holds no text of
 * the record.
 */
export type ModerationEntry = Omit<Moderation, 'visit'>;

/**
 * `stored`: the entry is new. `known`: its record exists or was erased, or a moderation of its timestamp
 * exists. `taken`: another record of the kind has its timestamp, and nothing was stored.
 */
export type ImportOutcome = 'stored' | 'known' | 'taken';

/** The client of a write, for rate limits and retries. Engines make it unreadable after 24 to 48 hours. */
export interface WriteOrigin {
  /** Rate-limit key of the client. */
  clientKey: string;
  limitScope: LimitScope;
  /** The idempotency key, null if the call has none. */
  key: string | null;
  /** The validated input as one string. Engines store its SHA-256 hash only. */
  content: string;
}

/** An earlier write with the same idempotency key. */
export interface IdempotentHit {
  readonly id: string;
  readonly sameContent: boolean;
}

/**
 * Reads see durable writes of every process, and no hidden records unless stated otherwise. If the storage
 * cannot be read, the JSONL engine serves the state that it read last, and the PostgreSQL engine rejects with
 * `StoreFailure`.
 */
export interface Reader {
  /** @returns undefined for an unknown, hidden or erased record */
  find<K extends Kind>(kind: K, id: string): Promise<RecordView<K> | undefined>;
  page<K extends Kind>(kind: K, range: Range): Promise<RecordView<K>[]>;
  /** Visible posts with the prefix that no visible post answers, newest first. */
  unanswered(prefix: AnswerablePrefix, limit: number): Promise<RecordView<'post'>[]>;
  totals(): Promise<Totals>;
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
  /** Newest first. */
  moderations(limit: number): Promise<ModerationEntry[]>;
  /** All records, hidden ones included, then the moderation log, both oldest first. Never a write origin. */
  history(): AsyncIterable<ExportedRecord | ModerationEntry>;
  frozen(): Promise<boolean>;
}

/**
 * The transaction that `Store.write` passes to its `writeFn`. It sees durable writes, the accepted writes
 * before it, and its own changes.
 */
export interface Writer {
  /** @returns undefined for an unknown, hidden or erased record */
  find<K extends Kind>(kind: K, id: string): Promise<RecordView<K> | undefined>;
  /** As `Reader.recentWriteAges`. */
  recentWriteAges(
    clientKey: string,
    limitScope: LimitScope,
    windowMs: number,
    limit: number,
  ): Promise<number[]>;
  /** The write of the same kind, client and idempotency key that is younger than `windowMs`. */
  idempotentHit(kind: Kind, origin: WriteOrigin, windowMs: number): Promise<IdempotentHit | undefined>;
  /**
   * @returns the id of the last write of the same kind, client and content, if it is younger than `windowMs`
   */
  recentDuplicate(kind: Kind, origin: WriteOrigin, windowMs: number): Promise<string | undefined>;
  /**
   * Adds a record with the store's next timestamp as `createdAt`. Without an origin it counts against no
   * limit.
   */
  append<K extends Kind>(
    kind: K,
    record: Omit<Records[K], 'createdAt'>,
    origin?: WriteOrigin,
  ): Promise<RecordView<K>>;
  /** @returns false if there is no such record or it is hidden already */
  hide(id: string, reason: string): Promise<boolean>;
  /** @returns false if there is no such record or it is not hidden */
  unhide(id: string, reason: string): Promise<boolean>;
  /**
   * Removes the text of a record from the storage by the time `Store.write` resolves. Erasing an erased
   * record repeats the removal, in case the first one was interrupted.
   * @returns false if the record never existed
   */
  erase(id: string, reason: string): Promise<boolean>;
  /**
   * Imports entries of another store in order, with their ids and timestamps.
   * @returns one outcome per entry
   */
  restore(entries: readonly (ExportedRecord | ModerationEntry)[]): Promise<ImportOutcome[]>;
  frozen(): Promise<boolean>;
  /** @returns false if the store is in that state already */
  setFrozen(action: FreezeOperation['action']): Promise<boolean>;
}

/** A durable change of a record, by any process. */
export interface Change {
  readonly action: 'add' | ModerationEntry['action'];
  readonly kind: Kind;
  readonly id: string;
  /**
   * Ids of the records whose pages show or count this one: the project of a note; of a reply the post it
   * replies to, the parent of that post, and the root. Empty for a first post and for an unknown record.
   */
  readonly ancestors: readonly string[];
}

/** Whether the last attempt to write succeeded. */
export interface Health {
  readonly writable: boolean;
  /** The failure, worded for an operator; null if writable. */
  readonly reason: string | null;
}

/** A value of the change counter; undefined if it is unknown right now. */
export type Revision = number | undefined;

/** The storage port of the workspace. Every engine passes `testStore` of test/contract. */
export interface Store {
  readonly read: Reader;
  /**
   * Monotonic change counter over all processes: while it stays the same, so does the result of every read.
   * At least as new as the call. Synchronous for the JSONL engine. A result that was read at an undefined
   * revision must not be cached.
   */
  revision(): Revision | Promise<Revision>;
  /**
   * Runs a transaction, serialized with all others. All changes of `writeFn` are stored, or none. If it
   * throws, nothing is stored, and the promise rejects with that error once the writes that it saw are
   * durable.
   * @param writeFn may run more than once, so it has no side effects that must not repeat besides calls of its writer
   * @throws StoreFailure if storing failed, for this write or for one that it saw, or if the outcome is
   *   unknown
   */
  write<Result>(writeFn: (writer: Writer) => Promise<Result>): Promise<Result>;
  /**
   * Notifies of every change, by any process, once reads see it. An error of the listener is logged.
   * @returns a function that removes the listener
   */
  watch(listener: (change: Change) => void): () => void;
  /**
   * Bytes that the store occupies, as of the last read or write; with PostgreSQL, of the last few seconds.
   * @returns undefined until the first measurement succeeds
   */
  sizeInBytes(): number | undefined;
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
