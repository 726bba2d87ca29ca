import type { WriteEntry } from './write-history.ts';
import type { ErasedRecord, LaterPost, RecordState } from '#store/port/lookups.ts';
import {
  kindOf,
  parentIdOf,
  type AnyRecord,
  type Kind,
  type ModerationEntry,
  type Records,
  type Timestamp,
} from '#store/port/records.ts';
import { refersTo } from '#message/references.ts';
import type { FreezeOperation } from '#store/port/store.ts';
import { toSigner, type Step, type StepFacts } from '#message/step.ts';

/** Adds a record. `writeEntry` is absent if no limit counts the write, or once the entry has expired. */
export type AddOperation = {
  [K in Kind]: { action: 'add'; kind: K; record: Records[K]; writeEntry?: WriteEntry | undefined };
}[Kind];

/** An added record whose text was removed from the log of a folder. */
export interface ErasedAddition {
  readonly action: 'erased-add';
  readonly id: string;
  readonly at: Timestamp;
}

export type Operation = AddOperation | ModerationEntry | FreezeOperation;

/** @returns the time of the operation, which only an imported operation shares with another */
export function timestampOf(operation: Operation | ErasedAddition): Timestamp {
  return operation.action === 'add' ? operation.record.createdAt : operation.at;
}

/** @returns the id of the record that an operation adds or moderates */
export function idOf(operation: AddOperation | ModerationEntry): string {
  return operation.action === 'add' ? operation.record.id : operation.id;
}

export function isFreezeOperation(operation: Operation): operation is FreezeOperation {
  return operation.action === 'freeze' || operation.action === 'thaw';
}

export const ERASED: ErasedRecord = { status: 'erased' };

export type Lineage = Pick<RecordState, 'parentId' | 'grandparentId' | 'rootId' | 'named'>;

/**
 * @returns `Change.ancestors`
 * @example
 *   const above = { parentId: 'post_2', grandparentId: 'post_1', rootId: 'post_1' };
 *   ancestorsOf({ ...above, named: ['post_9'] }); // ['post_2', 'post_1', 'post_9']
 */
export function ancestorsOf({ parentId, grandparentId, rootId, named }: Lineage): string[] {
  const above = parentId === null ? [] : [parentId, grandparentId, rootId];
  return [...new Set([...above, ...named].filter((id) => id !== null))];
}

/** A record that has not arrived, although imported moderations or children of it have. */
export type AwaitedRecord = Pick<RecordState, 'status' | 'moderatedAt' | 'children'>;

export const NOTHING_AWAITED: AwaitedRecord = { status: 'visible', moderatedAt: null, children: 0 };

/**
 * The latest hide or unhide of a record decides whether it is hidden; of two with the same timestamp, the one
 * that arrived last. An imported one may be earlier than those that have arrived.
 * @returns the record after the moderation
 * @example
 *   const hidden = { status: 'hidden', moderatedAt: '2026-11-21T10:00:00.000000Z' } as const;
 *   moderated(hidden, { action: 'unhide', at: '2026-11-21T09:00:00.000000Z' }); // hidden: it is earlier
 */
export function moderated<State extends Pick<RecordState, 'status' | 'moderatedAt'>>(
  record: State,
  { action, at }: Pick<ModerationEntry, 'action' | 'at'>,
): State {
  if (action === 'erase') return { ...record, status: 'hidden' };
  if (record.moderatedAt !== null && at < record.moderatedAt) return record;
  return { ...record, status: action === 'hide' ? 'hidden' : 'visible', moderatedAt: at };
}

/**
 * @param awaited the record before it arrived
 * @returns the record as a lookup finds it
 * @example
 *   toRecordState({ id: 'post_2', parentId: 'post_1', … }, null, NOTHING_AWAITED);
 *   // { status: 'visible', kind: 'post', parentId: 'post_1', moderatedAt: null, children: 0, … }
 */
export function toRecordState(
  record: AnyRecord,
  grandparentId: string | null,
  { status, moderatedAt, children }: AwaitedRecord,
): RecordState {
  return {
    status,
    moderatedAt,
    children,
    kind: kindOf(record.id),
    parentId: parentIdOf(record),
    grandparentId,
    rootId: 'rootId' in record ? record.rootId : null,
    /** Read on demand, since a folder needs it for few of the records that it adds. */
    get named() {
      return 'message' in record ? refersTo(record) : [];
    },
    prefix: 'prefix' in record ? record.prefix : null,
    mark: 'mark' in record && record.mark ? toSigner(record.mark) : null,
  };
}

/**
 * @param prefixOf returns the prefix of a visible post; null for any other id
 * @returns the post as a lookup of later posts returns it, with the prefixes of what it takes or judges
 * @example
 *   toLaterPost(post, { takes: ['post_1'], … }, () => 'IDEA'); // of a WORK that takes an IDEA
 *   // { id: 'post_2', prefix: 'WORK', prefixes: { post_1: 'IDEA' }, mark: null, … }
 */
export function toLaterPost(
  post: Omit<Step, keyof StepFacts> & { readonly mark?: string | null | undefined },
  facts: StepFacts | null,
  prefixOf: (id: string) => string | null,
): LaterPost {
  const { id, prefix, parentId, rootId, createdAt, mark } = post;
  const named = facts === null ? [] : comparedPosts(prefix, facts);
  const prefixes = named.flatMap((one) => {
    const found = prefixOf(one);
    return found === null ? [] : [[one, found] as const];
  });
  return {
    id,
    prefix,
    parentId,
    rootId,
    createdAt,
    mark: mark == null ? null : toSigner(mark),
    facts,
    prefixes: Object.fromEntries(prefixes),
  };
}

/** @returns the ids of the posts whose prefixes decide what a WORK takes or a REVIEW judges */
function comparedPosts(prefix: string | null, { takes, checked, refersTo }: StepFacts): readonly string[] {
  if (prefix === 'WORK') return takes;
  return prefix === 'REVIEW' ? [...(checked ?? []), ...refersTo] : [];
}

/** @returns the bytes of the texts of a record, including its id and its time */
export function textBytes(record: AnyRecord): number {
  const texts = Object.values(record).filter((value) => typeof value === 'string');
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
}
