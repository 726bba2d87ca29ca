import { WriteHistory, RETENTION_MS, type WriteEntry } from '#store/engine/write-history.ts';
import {
  isFreezeOperation,
  timestampOf,
  type AddOperation,
  type ErasedAddition,
  type FreezeOperation,
  type Moderation,
  type Operation,
} from '#store/engine/operation.ts';
import { kindOf, parentIdOf, type AnyRecord, type Kind, type Timestamp } from '#store/records.ts';
import { latest } from '#store/engine/timestamp.ts';
import { ERASED, NOTHING_AWAITED, toRecordState, type AwaitedRecord } from '#store/engine/record-state.ts';
import type { Change, ErasedRecord, Range, RecordState, RecordView } from '#store/store.ts';
import { AbsentRecords, type AwaitedEntry } from './absent-records.ts';
import { createEntryList, entriesIn, updateList } from './entry-list.ts';
import { FeedIndex } from './feed/feed-index.ts';
import { NONE } from './int32-column.ts';
import { ModerationList } from './moderation-list.ts';
import { PostLinks } from './post-links.ts';
import { isPostEntry, type IndexEntry, type PostEntry } from './record-entry.ts';
import { RecordOrders } from './record-orders.ts';
import { applyModeration } from './visibility.ts';
import { WorkBoard } from './work/work-board.ts';

/**
 * All records, moderations and write entries in memory, indexed for every method of `Reader`. Built by
 * applying the operations of a log in order.
 */
export class RecordIndex {
  readonly writeHistory = new WriteHistory();
  readonly feed = new FeedIndex<PostEntry>();
  readonly orders = new RecordOrders();
  readonly moderations = new ModerationList();
  /** By id, hidden or not. */
  readonly #entries = new Map<string, IndexEntry>();
  /** Invariant: no id of it is in `#entries`. */
  readonly #absent = new AbsentRecords();
  readonly links = new PostLinks((id) => this.#entries.get(id) as PostEntry | undefined);
  readonly #board = new WorkBoard<PostEntry>(this.links);
  #lastTimestamp: Timestamp | null = null;
  #lastFreezeOperation: FreezeOperation | undefined;

  /** The latest timestamp of any operation; null while there is none. */
  get lastTimestamp(): Timestamp | null {
    return this.#lastTimestamp;
  }

  get frozen(): boolean {
    return this.#lastFreezeOperation?.action === 'freeze';
  }

  /**
   * @param now milliseconds since 1970; a write entry older than `RETENTION_MS` is dropped
   * @param row the number of the line
   * @returns the change of a record, undefined for a freeze or thaw
   */
  apply(operation: Operation, now: number, row: number): Change | undefined {
    this.#lastTimestamp = latest(this.#lastTimestamp, timestampOf(operation));
    this.#board.advance(now);
    if (isFreezeOperation(operation)) {
      this.#lastFreezeOperation = operation;
      return undefined;
    }
    this.#remember(operation.visit, now);
    return operation.action === 'add' ? this.#add(operation, row) : this.#moderate(operation);
  }

  /** Takes in a record whose text was removed from the line that added it. As `apply`. */
  applyErased({ id, at, visit }: ErasedAddition, now: number, row: number): void {
    this.#lastTimestamp = latest(this.#lastTimestamp, at);
    this.#remember(visit, now);
    this.#absent.erase(id, row);
  }

  /** @returns the number of the line that added a record, erased or not; undefined if none did */
  rowOf(id: string): number | undefined {
    return this.#entries.get(id)?.row ?? this.#absent.rowOf(id);
  }

  /** @returns the record, hidden or not; undefined if it is unknown or erased */
  find(id: string): AnyRecord | undefined {
    return this.#entries.get(id)?.record;
  }

  /** @returns undefined unless the record is visible */
  view(id: string): RecordView | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined || entry.hidden ? undefined : this.viewOf(entry);
  }

  /** As reads return it. @param entry of a record that is visible */
  readonly viewOf = (entry: IndexEntry): RecordView => {
    const isResult = 'prefix' in entry.record && entry.record.prefix === 'RESULT';
    return {
      record: entry.record,
      children: entry.children?.size ?? 0,
      hasLaterResult: isResult && this.links.hasLaterResult(entry as PostEntry),
    };
  };

  /** @returns undefined if there never was such a record */
  state(id: string): RecordState | ErasedRecord | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return this.#absent.isErased(id) ? ERASED : undefined;
    return toRecordState(entry.record, this.#grandparentIdOf(entry.record), toAwaitedRecord(entry));
  }

  /** @returns undefined unless something of the record arrived, and not the record */
  awaited(id: string): AwaitedRecord | undefined {
    const awaited = this.#absent.awaited(id);
    return awaited && toAwaitedRecord(awaited);
  }

  page(kind: Kind, range: Range): RecordView[] {
    const { within, thread } = range;
    if (thread !== undefined)
      return this.links.thread(thread, range, (at) => this.orders.postsAt(at)).map(this.viewOf);
    if (within === undefined) return this.orders.page(kind, range).map(this.viewOf);
    const children = this.#entries.get(within)?.children;
    return children === undefined ? [] : entriesIn(children, range).map(this.viewOf);
  }

  /** @returns the lists of work. @param now milliseconds since 1970 */
  board(now: number): WorkBoard<PostEntry> {
    this.#board.advance(now);
    return this.#board;
  }

  /** @returns a post that is visible */
  visiblePost(id: string): PostEntry | undefined {
    const entry = this.#entries.get(id);
    return entry?.hidden === false && kindOf(id) === 'post' ? (entry as PostEntry) : undefined;
  }

  #remember(entry: WriteEntry | undefined, now: number): void {
    if (entry !== undefined && entry.at > now - RETENTION_MS) this.writeHistory.add(entry);
  }

  #add({ kind, record }: AddOperation, row: number): Change {
    const { hidden = false, moderatedAt = null, children } = this.#absent.awaited(record.id) ?? {};
    const toEntry = (number: number): IndexEntry => ({
      record,
      number,
      row,
      hidden,
      moderatedAt,
      children,
    });
    const entry =
      kind === 'post' ? this.links.arrive(record, (number) => toEntry(number) as PostEntry) : toEntry(NONE);
    this.#absent.arrive(record.id);
    this.#entries.set(record.id, entry);
    this.orders.add(entry);
    if (isPostEntry(entry)) {
      this.feed.add(entry);
      this.#board.arrive(entry);
    }
    if (!hidden) this.#updateIndexes(entry, 1);
    return { action: 'add', kind, id: record.id, ancestors: this.#ancestorsOf(record) };
  }

  #moderate(moderation: Moderation): Change {
    const { action, id } = moderation;
    const kind = kindOf(id);
    const entry = this.#entries.get(id);
    this.moderations.add(moderation);
    if (action === 'erase') this.#absent.erase(id, this.rowOf(id));
    if (entry === undefined) {
      if (!this.#absent.isErased(id)) applyModeration(this.#absent.await(id), moderation);
      return { action, kind, id, ancestors: [] };
    }
    // An erase hides a visible record too.
    if (applyModeration(entry, moderation)) this.#updateIndexes(entry, entry.hidden ? -1 : 1);
    if (action === 'erase') this.#remove(entry);
    return { action, kind, id, ancestors: this.#ancestorsOf(entry.record) };
  }

  /** As `Change.ancestors`. */
  #ancestorsOf(record: AnyRecord): readonly string[] {
    return toRecordState(record, this.#grandparentIdOf(record), NOTHING_AWAITED).ancestors;
  }

  #grandparentIdOf(record: AnyRecord): string | null {
    const parent = this.#entries.get(parentIdOf(record) ?? '');
    return parent === undefined ? null : parentIdOf(parent.record);
  }

  /** The entry is hidden already, so no other index holds it. */
  #remove(entry: IndexEntry): void {
    this.orders.remove(entry);
    if (isPostEntry(entry)) {
      this.links.erase(entry);
      this.feed.remove(entry);
      this.#board.erase(entry);
    }
    this.#entries.delete(entry.record.id);
  }

  /** Adds an entry that becomes visible to every index (1), or removes it (-1). */
  #updateIndexes(entry: IndexEntry, sign: 1 | -1): void {
    this.orders.update(entry, sign);
    const parentId = parentIdOf(entry.record);
    if (parentId !== null && !this.#absent.isErased(parentId)) {
      const parent = this.#entries.get(parentId) ?? this.#absent.await(parentId);
      updateList((parent.children ??= createEntryList()), entry, sign);
    }
    if (isPostEntry(entry)) {
      this.links.update(entry, sign);
      this.#board.update(entry, sign);
    }
  }
}

function toAwaitedRecord({ hidden, moderatedAt, children }: AwaitedEntry): AwaitedRecord {
  return { status: hidden ? 'hidden' : 'visible', moderatedAt, children: children?.size ?? 0 };
}
