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
import { kindOf, parentIdOf, type AnyRecord, type Kind, type Post, type Timestamp } from '#store/records.ts';
import { latest } from '#store/engine/timestamp.ts';
import { ERASED, NOTHING_AWAITED, toRecordState, type AwaitedRecord } from '#store/engine/record-state.ts';
import type { Change, ErasedRecord, Range, RecordState, RecordView } from '#store/store.ts';
import { AbsentRecords } from './absent-records.ts';
import { FeedIndex } from './feed/feed-index.ts';
import { GroupedRecords } from './grouped-records.ts';
import { ModerationList } from './moderation-list.ts';
import { PostLinks } from './post-links.ts';
import { isPostEntry, type IndexEntry, type PostEntry } from './record-entry.ts';
import { RecordNumbers } from './record-numbers.ts';
import { RecordOrders } from './record-orders.ts';
import { applyModeration, type Visibility } from './visibility.ts';
import { WorkBoard } from './work/work-board.ts';

const NO_ANSWERS: readonly string[] = [];

/** The visibility of a record without moderations. */
const VISIBLE: Visibility = { hidden: false, moderatedAt: null };

/**
 * All records, moderations and write entries in memory, indexed for every method of `Reader`. Built by
 * applying the operations of a log in order.
 */
export class RecordIndex {
  readonly writeHistory = new WriteHistory();
  readonly feed = new FeedIndex<PostEntry>();
  readonly orders = new RecordOrders();
  readonly moderations = new ModerationList();
  readonly #numbers = new RecordNumbers();
  /** Invariant: no id of it has a record. */
  readonly #absent = new AbsentRecords();
  readonly links = new PostLinks(this.#numbers);
  /** Replies by the number of their parent, and notes by that of their project. */
  readonly #children = new GroupedRecords((record) => this.#numbers.createdAt(record));
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
    return this.#numbers.find(id)?.row ?? this.#absent.rowOf(id);
  }

  /** @returns the record, hidden or not; undefined if it is unknown or erased */
  find(id: string): AnyRecord | undefined {
    return this.#numbers.find(id)?.record;
  }

  /** @returns undefined unless the record is visible */
  view(id: string): RecordView | undefined {
    const entry = this.#numbers.find(id);
    return entry === undefined || entry.hidden ? undefined : this.viewOf(entry);
  }

  /** As reads return it. @param entry of a record that is visible */
  readonly viewOf = (entry: IndexEntry): RecordView => {
    const isResult = 'prefix' in entry.record && entry.record.prefix === 'RESULT';
    return {
      record: entry.record,
      children: this.#children.size(entry.number),
      hasLaterResult: isResult && this.links.hasLaterResult(entry as PostEntry),
    };
  };

  /** @returns undefined if there never was such a record */
  state(id: string): RecordState | ErasedRecord | undefined {
    const entry = this.#numbers.find(id);
    if (entry === undefined) return this.#absent.isErased(id) ? ERASED : undefined;
    const { record, number } = entry;
    const known = toAwaitedRecord(entry, this.#children.size(number));
    return toRecordState(record, this.#grandparentIdOf(record), known);
  }

  /** @returns undefined unless something of the record arrived, and not the record */
  awaited(id: string): AwaitedRecord | undefined {
    const number = this.#numbers.numberOf(id);
    const children = number === undefined ? 0 : this.#children.size(number);
    const visibility = this.#absent.awaited(id);
    if (visibility === undefined && children === 0) return undefined;
    return toAwaitedRecord(visibility ?? VISIBLE, children);
  }

  page(kind: Kind, range: Range): RecordView[] {
    const { within, thread } = range;
    if (thread !== undefined) return this.links.thread(thread, range).map(this.viewOf);
    if (within === undefined) return this.orders.page(kind, range).map(this.viewOf);
    const parent = this.#numbers.find(within);
    if (parent === undefined) return [];
    return this.#numbers.entriesOf(this.#children.page(parent.number, range)).map(this.viewOf);
  }

  /** @returns the lists of work. @param now milliseconds since 1970 */
  board(now: number): WorkBoard<PostEntry> {
    this.#board.advance(now);
    return this.#board;
  }

  /** @returns a post that is visible */
  visiblePost(id: string): PostEntry | undefined {
    const entry = this.#numbers.find(id);
    return entry?.hidden === false && kindOf(id) === 'post' ? (entry as PostEntry) : undefined;
  }

  #remember(entry: WriteEntry | undefined, now: number): void {
    if (entry !== undefined && entry.at > now - RETENTION_MS) this.writeHistory.add(entry);
  }

  #add({ kind, record }: AddOperation, row: number): Change {
    const { hidden, moderatedAt } = this.#absent.awaited(record.id) ?? VISIBLE;
    if (kind === 'post') this.#shareValues(record);
    const entry = this.#numbers.arrive(record, (number) => ({ record, number, row, hidden, moderatedAt }));
    this.#absent.arrive(record.id);
    this.orders.add(entry);
    if (isPostEntry(entry)) {
      this.links.arrive(entry);
      this.feed.add(entry);
      this.#board.arrive(entry);
    }
    if (!hidden) this.#updateIndexes(entry, 1);
    return { action: 'add', kind, id: record.id, ancestors: this.#ancestorsOf(record) };
  }

  /** Replaces values of a post by equal ones of the index: each that was read from a log is a copy of its own. */
  #shareValues(post: Post): void {
    const { id, parentId, rootId, answers } = post;
    if (answers.length === 0) post.answers = NO_ANSWERS;
    if (parentId !== null) post.parentId = this.#numbers.find(parentId)?.record.id ?? parentId;
    post.rootId = rootId === id ? id : (this.#numbers.find(rootId)?.record.id ?? rootId);
  }

  #moderate(moderation: Moderation): Change {
    const { action, id } = moderation;
    const kind = kindOf(id);
    const entry = this.#numbers.find(id);
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
    const parent = this.#numbers.find(parentIdOf(record) ?? '');
    return parent === undefined ? null : parentIdOf(parent.record);
  }

  /** The entry is hidden already, so no other index holds it. */
  #remove(entry: IndexEntry): void {
    this.orders.remove(entry);
    if (isPostEntry(entry)) {
      this.feed.remove(entry);
      this.#board.erase(entry);
    }
    this.#numbers.erase(entry);
  }

  /** Adds an entry that becomes visible to every index (1), or removes it (-1). */
  #updateIndexes(entry: IndexEntry, sign: 1 | -1): void {
    this.orders.update(entry, sign);
    const parentId = parentIdOf(entry.record);
    if (parentId !== null) this.#children.update(this.#numbers.reserve(parentId), entry.number, sign);
    if (isPostEntry(entry)) {
      this.links.update(entry, sign);
      this.#board.update(entry, sign);
    }
  }
}

function toAwaitedRecord({ hidden, moderatedAt }: Visibility, children: number): AwaitedRecord {
  return { status: hidden ? 'hidden' : 'visible', moderatedAt, children };
}
