import type {
  EarlierWriteLookup,
  ErasedRecord,
  LookupResults,
  IdempotentHit,
  LaterPost,
  LaterPostsLookup,
  Lookup,
  Lookups,
  ModerationLookup,
  RecentWriteAgesLookup,
  RecordState,
} from '#store/port/lookups.ts';
import {
  parentIdOf,
  type AnyRecord,
  type Kind,
  type ModerationEntry,
  type Post,
  type Timestamp,
  type CountedRecord,
} from '#store/port/records.ts';
import { StoreFailure, type WriteOperation } from '#store/port/store.ts';
import { parseStepFacts } from '#message/step.ts';
import type { EarlierWrite, Snapshot, StagedOperation } from './write-engine.ts';
import {
  type AddOperation,
  type AwaitedRecord,
  ERASED,
  isFreezeOperation,
  moderated,
  NOTHING_AWAITED,
  timestampOf,
  toLaterPost,
  toRecordState,
} from './operation.ts';
import { latest, nextTimestamp } from './timestamp.ts';
import { WriteHistory } from './write-history.ts';

/**
 * The state on which the writes of a batch are decided, one after another: the snapshot, and on top of it the
 * operations of the writes accepted so far, none of which is stored yet.
 * @example
 *   // In the snapshot, post_1 is visible and has no replies. The batch has three writes:
 *   // 1. adds post_2, a reply to post_1   now post_2 is visible, and post_1 has one reply
 *   // 2. hides post_1                     now post_1 is hidden
 *   // 3. replies to post_1                its lookup finds post_1 hidden, so it is refused
 */
export class BatchOverlay {
  readonly #snapshot: Snapshot;
  readonly #records = new Map<string, RecordState | ErasedRecord>();
  /** By id, records that the batch changes before they have arrived. */
  readonly #awaited = new Map<string, AwaitedRecord>();
  readonly #addedRecords = new Map<string, AnyRecord>();
  readonly #writeHistory = new WriteHistory();
  /** The records and moderations of the batch, by `existenceKey`. */
  readonly #existing = new Set<string>();
  #lastTimestamp: Timestamp | null;
  #frozen: boolean;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#lastTimestamp = snapshot.lastTimestamp;
    this.#frozen = snapshot.frozen;
  }

  lookUp(lookups: Lookups): LookupResults {
    const { now } = this.#snapshot;
    const results: Record<string, unknown> = {
      now,
      timestamp: nextTimestamp(this.#lastTimestamp, now),
      frozen: this.#frozen,
    };
    for (const [name, lookup] of Object.entries(lookups))
      results[name] = lookup === undefined ? undefined : this.#resultOf(lookup);
    // Safe: each result has the type that `LookupResult` derives from its lookup.
    return results as unknown as LookupResults;
  }

  /** Checks an operation. @throws StoreFailure if it adds a record whose id exists or was erased */
  prepare(lookups: Lookups, operation: WriteOperation): StagedOperation {
    if (isFreezeOperation(operation)) return { operation, record: undefined };
    if (operation.action !== 'add') {
      const record = this.#lookedUp(lookups, operation.id);
      return {
        operation: operation.action === 'erase' ? withOpener(operation, record) : operation,
        record: record && this.#withGrandparent(record),
      };
    }
    const { kind, record, origin } = operation;
    if (this.#lookedUp(lookups, record.id) !== undefined)
      throw new StoreFailure('nothing', 'a record with the id of the new one exists or was erased');
    const parentId = parentIdOf(record);
    const parent = parentId === null ? undefined : this.#lookedUp(lookups, parentId);
    const writeEntry = origin && { atMs: this.#snapshot.now, kind, id: record.id, ...origin };
    return {
      operation: { action: 'add', kind, record, writeEntry } as AddOperation,
      record: toRecordState(record, grandparentIdOf(parent), this.#awaitedRecord(record.id)),
    };
  }

  apply({ operation, record }: StagedOperation): void {
    this.#lastTimestamp = latest(this.#lastTimestamp, timestampOf(operation));
    if (isFreezeOperation(operation)) this.#frozen = operation.action === 'freeze';
    else if (operation.action === 'add') this.#add(operation, record);
    else this.#moderate(operation, record);
  }

  #add({ kind, record: added, writeEntry }: AddOperation, record: RecordState | undefined): void {
    this.#existing.add(existenceKey({ kind, at: added.createdAt }));
    this.#addedRecords.set(added.id, added);
    if (writeEntry !== undefined) this.#writeHistory.add(writeEntry);
    if (record === undefined) return;
    this.#records.set(added.id, record);
    if (record.status === 'visible') this.#countChild(record, 1);
  }

  #moderate(moderation: ModerationEntry, record: RecordState | undefined): void {
    const { action, id } = moderation;
    this.#existing.add(existenceKey(moderation));
    if (action !== 'erase' && record === undefined && this.#record(id) === undefined)
      this.#awaited.set(id, moderated(this.#awaitedRecord(id), moderation));
    if (record !== undefined) {
      const after = moderated(record, moderation);
      this.#records.set(id, after);
      if (record.status !== after.status) this.#countChild(record, after.status === 'visible' ? 1 : -1);
    }
    if (action === 'erase') this.#records.set(id, ERASED);
  }

  #countChild({ parentId }: RecordState, sign: 1 | -1): void {
    if (parentId === null) return;
    const parent = this.#record(parentId);
    if (parent === undefined) {
      const awaited = this.#awaitedRecord(parentId);
      this.#awaited.set(parentId, { ...awaited, children: awaited.children + sign });
    } else if (parent.status !== 'erased') {
      this.#records.set(parentId, { ...parent, children: parent.children + sign });
    }
  }

  /** @throws Error if no lookup asks for the record, since the snapshot may lack it */
  #lookedUp(lookups: Lookups, id: string): RecordState | ErasedRecord | undefined {
    if (!Object.values(lookups).some((lookup) => lookup?.type === 'record' && lookup.id === id))
      throw new Error('a write may name only records that it looked up');
    return this.#record(id);
  }

  #record(id: string): RecordState | ErasedRecord | undefined {
    const record = this.#records.get(id) ?? this.#snapshot.record(id);
    // The lookups and the checks of a write, and those of later writes, need the same few records.
    if (record !== undefined) this.#records.set(id, record);
    return record;
  }

  #awaitedRecord(id: string): AwaitedRecord {
    return this.#awaited.get(id) ?? this.#snapshot.awaited(id) ?? NOTHING_AWAITED;
  }

  /** The snapshot has the right grandparent unless the batch has added or erased the parent. */
  #withGrandparent(record: RecordState | ErasedRecord): RecordState | undefined {
    if (record.status === 'erased') return undefined;
    const parent = this.#records.get(record.parentId ?? '');
    return parent === undefined ? record : { ...record, grandparentId: grandparentIdOf(parent) };
  }

  /** Ignores what the batch moderates, except posts that it adds and hides. */
  #laterPosts(lookup: LaterPostsLookup): LaterPost[] {
    const added = [...this.#addedRecords.values()].filter(
      (record): record is Post =>
        'rootId' in record && record.createdAt > lookup.after && this.#isVisible(record.id),
    );
    const posts = added.map((post) => toLaterPost(post, parseStepFacts(post), (id) => this.#prefixOf(id)));
    return [...posts, ...this.#snapshot.laterPosts(lookup)]
      .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      .slice(0, lookup.limit);
  }

  #prefixOf(id: string): string | null {
    const record = this.#record(id);
    return record?.status === 'visible' ? record.prefix : null;
  }

  #isVisible(id: string): boolean {
    return this.#record(id)?.status === 'visible';
  }

  #resultOf(lookup: Lookup): unknown {
    switch (lookup.type) {
      case 'record':
        return this.#record(lookup.id);
      case 'records': {
        const found = lookup.ids.map((id) => [id, this.#record(id)] as const);
        return new Map(found.filter(([, record]) => record !== undefined));
      }
      case 'idempotentHit':
        return this.#idempotentHit(lookup);
      case 'recentDuplicate': {
        const id = this.#earlierWrite(lookup)?.id;
        return id !== undefined && this.#isVisible(id) ? id : undefined;
      }
      case 'recentWriteAges':
        return this.#recentWriteAges(lookup);
      case 'recordTimestamp':
      case 'moderation':
        return this.#existing.has(existenceKey(lookup)) || this.#snapshot.exists(lookup);
      case 'laterPosts':
        return this.#laterPosts(lookup);
    }
  }

  #earlierWrite(lookup: EarlierWriteLookup): EarlierWrite | undefined {
    const inBatch = this.#writeHistory.find(lookup, this.#snapshot.now);
    const stored = this.#snapshot.earlierWrite(lookup);
    const isOfBatch = inBatch !== undefined && inBatch.atMs >= (stored?.atMs ?? -Infinity);
    return isOfBatch ? { ...inBatch, record: this.#addedRecords.get(inBatch.id) } : stored;
  }

  #idempotentHit(lookup: EarlierWriteLookup): IdempotentHit | undefined {
    const found = this.#earlierWrite(lookup);
    if (found === undefined) return undefined;
    const sameContent = found.content === lookup.origin.content;
    return { id: found.id, sameContent, stored: this.#reachable(found.record) };
  }

  /** @returns undefined unless the record is visible and, if it is a note, its project too */
  #reachable(record: AnyRecord | undefined): CountedRecord | undefined {
    if (record === undefined) return undefined;
    const state = this.#record(record.id);
    if (state?.status !== 'visible') return undefined;
    if ('projectId' in record && !this.#isVisible(record.projectId)) return undefined;
    return { record, children: state.children };
  }

  #recentWriteAges(lookup: RecentWriteAgesLookup): number[] {
    const { now } = this.#snapshot;
    const inBatch = this.#writeHistory.recentWrites(lookup, now).map(({ atMs }) => atMs);
    return [...inBatch, ...this.#snapshot.recentWriteTimes(lookup)]
      .map((at) => now - at)
      .sort((a, b) => a - b)
      .slice(0, lookup.limit);
  }
}

/** Adds the signer of an erased first post. The erase of an unknown record was imported with its signer. */
function withOpener(erase: ModerationEntry, record: RecordState | ErasedRecord | undefined): ModerationEntry {
  if (record === undefined) return erase;
  const isOpener = record.status !== 'erased' && record.rootId === erase.id;
  return { ...erase, mark: isOpener ? (record.mark ?? undefined) : undefined };
}

const grandparentIdOf = (parent: RecordState | ErasedRecord | undefined): string | null =>
  parent === undefined || parent.status === 'erased' ? null : parent.parentId;

/** Records of two kinds may share a timestamp. */
function existenceKey(one: { kind: Kind; at: Timestamp } | Omit<ModerationLookup, 'type'>): string {
  return 'kind' in one ? `${one.kind} ${one.at}` : `${one.action} ${one.id} ${one.at}`;
}
