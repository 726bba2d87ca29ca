import type { FreezeOperation, Moderation } from './engine/operation.ts';
import type { LimitScope, Kind, AnswerablePrefix, Records, Stamp } from './records.ts';

export type {
  LimitScope as Budget,
  GuestNote,
  Kind,
  Post,
  Project,
  ProjectNote,
  AnswerablePrefix as Question,
  Records,
  Stamp,
} from './records.ts';

/** A visible record, and how many visible replies or notes hang on it. */
export interface RecordView<K extends Kind = Kind> {
  readonly record: Records[K];
  readonly children: number;
}

/** A stretch of one collection. Both bounds are exclusive. */
export interface Range {
  /** Only the replies to this post, or the notes on this project. */
  within?: string;
  before?: Stamp | undefined;
  after?: Stamp | undefined;
  order: 'newest' | 'oldest';
  limit: number;
}

/** Counts of what is visible. */
export interface Totals {
  readonly posts: number;
  readonly threads: number;
  /** By prefix; posts without one stand under `none`. */
  readonly byPrefix: Readonly<Record<string, number>>;
  readonly guests: number;
  readonly projects: number;
}

/** A record with everything about it that is public, hidden or not. */
export interface ExportedRecord<K extends Kind = Kind> {
  readonly kind: K;
  readonly record: Records[K];
}

/** What an operator did to a record, and why: public, and without the text. */
export type ModerationEntry = Omit<Moderation, 'visit'>;

/** `known` where it is here already, `taken` where its stamp is another's. */
export type ImportOutcome = 'kept' | 'known' | 'taken';

/** Who made a write, kept beside the record for a day and then unreadable for everybody. */
export interface WriteOrigin {
  visitor: string;
  budget: LimitScope;
  /** The idempotency key, if the write carried one. */
  key: string | null;
  /** The validated input as one string; only its hash is kept. */
  content: string;
}

/** An earlier write with the same idempotency key. */
export interface IdempotentHit {
  readonly id: string;
  readonly sameContent: boolean;
}

/** Reads see what is durable, hidden records left out, and never a draft. */
export interface Reader {
  find<K extends Kind>(kind: K, id: string): Promise<RecordView<K> | undefined>;
  page<K extends Kind>(kind: K, range: Range): Promise<RecordView<K>[]>;
  /** Visible posts of that prefix that no visible post has answered, newest first. */
  unanswered(prefix: AnswerablePrefix, limit: number): Promise<RecordView<'post'>[]>;
  totals(): Promise<Totals>;
  /** Ages in milliseconds, youngest first, of at most `limit` writes of the visitor within the last `span` ms. */
  recentWriteAges(visitor: string, budget: LimitScope, span: number, limit: number): Promise<number[]>;
  /** The latest first. */
  moderations(limit: number): Promise<ModerationEntry[]>;
  /** Everything that is kept, hidden records too, in the order of its stamps; nothing about visitors. */
  history(): AsyncIterable<ExportedRecord | ModerationEntry>;
  frozen(): Promise<boolean>;
}

/** What a work may ask and do. It sees the works accepted before it, and itself. */
export interface Writer {
  find<K extends Kind>(kind: K, id: string): Promise<RecordView<K> | undefined>;
  recentWriteAges(visitor: string, budget: LimitScope, span: number, limit: number): Promise<number[]>;
  /** The write that carried this trace's key within the last `span` ms. */
  idempotentHit(kind: Kind, trace: WriteOrigin, span: number): Promise<IdempotentHit | undefined>;
  /** The id of the same visitor's last write of the same content within the last `span` ms. */
  recentDuplicate(kind: Kind, trace: WriteOrigin, span: number): Promise<string | undefined>;
  /** Stamps the record with the next instant of the store and keeps it. */
  append<K extends Kind>(
    kind: K,
    record: Omit<Records[K], 'createdAt'>,
    trace?: WriteOrigin,
  ): Promise<RecordView<K>>;
  /** @returns false where there is no such record, or it is hidden already. */
  hide(id: string, reason: string): Promise<boolean>;
  /** @returns false where there is no such record, or it is not hidden. */
  unhide(id: string, reason: string): Promise<boolean>;
  /**
   * Once it settles the text of the record is nowhere on the disk. An erased record may be erased again, in case the
   * first time was cut short.
   * @returns false where there never was such a record
   */
  erase(id: string, reason: string): Promise<boolean>;
  /** Keeps entries of another store as they are, one after another. @returns what became of each */
  restore(entries: readonly (ExportedRecord | ModerationEntry)[]): Promise<ImportOutcome[]>;
  frozenError(): Promise<boolean>;
  /** @returns false where it was so before. */
  setFrozen(action: FreezeOperation['action']): Promise<boolean>;
}

/** Told once what was written is durable, whoever wrote it. */
export interface Change {
  readonly action: 'add' | ModerationEntry['action'];
  readonly kind: Kind;
  readonly id: string;
  /** On whose pages it shows, or is counted: its project; or the post replied to, the one above that, and the first. */
  readonly ancestors: readonly string[];
}

export interface Health {
  readonly writable: boolean;
  /** Why writes are refused, in words for an operator; null while they are not. */
  readonly reason: string | null;
}

export type Revision = number | undefined;

/** What the workspace keeps. Every engine passes `testStore` of test/support. */
export interface Store {
  readonly read: Reader;
  /**
   * A higher number after every change that readers see, whoever made it; while it stays the same every read has the
   * same answer. Told at once where that is possible, never older than the asking; undefined where it cannot be told.
   */
  revision(): Revision | Promise<Revision>;
  /**
   * Runs alone: all of `work` is kept, or none of it. Settles, with a result or a refusal, once the fate of what
   * it saw is known. `work` may run more than once, so it only decides.
   * @throws StoreFailure where the write could not be made, or nobody knows whether it was.
   */
  write<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result>;
  /** Also for what other processes wrote. @returns how to stop listening. */
  watch(listener: (change: Change) => void): () => void;
  /**
   * Bytes that the store occupies, as of the last read or write; with PostgreSQL, of the last few seconds.
   * @returns undefined until the first measurement succeeds
   */
  sizeInBytes(): number | undefined;
  /** Tries again, where the last write failed, before it answers. */
  health(): Promise<Health>;
  /** Lets waiting works finish first. */
  close(): Promise<void>;
}

/** The store could not do its part; the caller's input was fine. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  /** `nothing`: the write was not made. `unknown`: it may or may not stand. */
  readonly kept: 'nothing' | 'unknown';

  constructor(kept: 'nothing' | 'unknown', reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.kept = kept;
  }
}
