import { hash } from 'node:crypto';
import type { Step, StepFacts } from '#message/step.ts';
import type { Kind, LimitScope, ModerationEntry, CountedRecord, Timestamp } from './records.ts';

/** The client of a write, for rate limits and retries. Engines make it unreadable after 24 to 48 hours. */
export interface WriteOrigin {
  clientKey: string;
  limitScope: LimitScope;
  /** The idempotency key, null if the call has none. */
  key: string | null;
  /** The hash of the published content, by `hashContent`. */
  content: string;
}

/** @returns SHA-256 in base64url, which engines store in place of the content to find a repeated write */
export function hashContent(content: string): string {
  return hash('sha256', content, 'base64url');
}

/** Asks for a record, hidden or not, without its texts. */
export interface RecordLookup {
  readonly type: 'record';
  readonly id: string;
}

export interface RecordsLookup {
  readonly type: 'records';
  readonly ids: readonly string[];
}

/**
 * Asks for the latest write of the same kind and client that is younger than `windowMs` and has the same
 * idempotency key (`idempotentHit`) or the same content (`recentDuplicate`).
 */
export interface EarlierWriteLookup<K extends Kind = Kind> {
  readonly type: 'idempotentHit' | 'recentDuplicate';
  readonly kind: K;
  readonly origin: WriteOrigin;
  readonly windowMs: number;
}

/** Asks for the ages of the newest writes by a client, a network or all clients, youngest first. */
export interface RecentWriteAgesLookup {
  readonly type: 'recentWriteAges';
  /** `widened`: all clients of a network, by `widenNetwork`. Null: all clients. Both count both scopes. */
  readonly by: Pick<WriteOrigin, 'clientKey' | 'limitScope'> | { readonly widened: string } | null;
  readonly windowMs: number;
  readonly limit: number;
}

/** Asks whether a record of the kind, hidden or not, has the timestamp. */
export interface RecordTimestampLookup {
  readonly type: 'recordTimestamp';
  readonly kind: Kind;
  readonly at: Timestamp;
}

/** Asks whether a moderation with the timestamp, record and action exists. */
export interface ModerationLookup extends Pick<ModerationEntry, 'at' | 'id' | 'action'> {
  readonly type: 'moderation';
}

/** Asks for the visible posts after a timestamp, newest first, without their texts. */
export interface LaterPostsLookup {
  readonly type: 'laterPosts';
  readonly after: Timestamp;
  readonly limit: number;
}

/** A later post, as a new one is compared with it. */
export interface LaterPost extends Omit<Step, keyof StepFacts> {
  readonly mark: string | null;
  /** Null if no list of work depends on the post. */
  readonly facts: StepFacts | null;
  /** By id, the prefixes of the visible posts that a WORK takes or a REVIEW names. */
  readonly prefixes: Readonly<Record<string, string>>;
}

/** A question about the store as data, so that an engine can answer the questions of many writes at once. */
export type Lookup =
  | RecordLookup
  | RecordsLookup
  | EarlierWriteLookup
  | RecentWriteAgesLookup
  | RecordTimestampLookup
  | ModerationLookup
  | LaterPostsLookup;

export type Lookups = Readonly<Record<string, Lookup | undefined>>;

export interface RecordState {
  readonly status: 'visible' | 'hidden';
  readonly kind: Kind;
  readonly parentId: string | null;
  /** The parent of its parent. Null if there is none, or if its parent is erased. */
  readonly grandparentId: string | null;
  /** Null unless it is a post. */
  readonly rootId: string | null;
  /** The posts that its text names. */
  readonly named: readonly string[];
  readonly prefix: string | null;
  /** Its signer, by `toSigner`. Null unless it is a signed post. */
  readonly mark: string | null;
  /** The timestamp of the latest hide or unhide, which decides the status. Null if there is none. */
  readonly moderatedAt: Timestamp | null;
  readonly children: number;
}

export interface ErasedRecord {
  readonly status: 'erased';
}

export interface IdempotentHit<K extends Kind = Kind> {
  readonly id: string;
  readonly sameContent: boolean;
  /** Undefined unless the record is visible and, if it is a note, its project too. */
  readonly stored: CountedRecord<K> | undefined;
}

/** What a lookup finds, by its type. */
interface ResultTypes {
  readonly record: RecordState | ErasedRecord | undefined;
  readonly records: ReadonlyMap<string, RecordState | ErasedRecord>;
  readonly idempotentHit: IdempotentHit | undefined;
  /** The id of a visible record. */
  readonly recentDuplicate: string | undefined;
  readonly recentWriteAges: readonly number[];
  readonly recordTimestamp: boolean;
  readonly moderation: boolean;
  readonly laterPosts: readonly LaterPost[];
}

export type LookupResult<L extends Lookup | undefined> = L extends undefined
  ? undefined
  : L extends { readonly type: 'idempotentHit'; readonly kind: infer K extends Kind }
    ? IdempotentHit<K> | undefined
    : ResultTypes[NonNullable<L>['type']];

/** What a write is decided on: the results of its lookups, by name, and the state of the store. */
export type LookupResults<L extends Lookups = Lookups> = { readonly [N in keyof L]: LookupResult<L[N]> } & {
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: number;
  /** The timestamp for an operation of this write, later than all others. */
  readonly timestamp: Timestamp;
  readonly frozen: boolean;
};
