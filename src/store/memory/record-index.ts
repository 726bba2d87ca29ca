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
import { ancestorsOf, ERASED, type AwaitedRecord } from '#store/engine/record-state.ts';
import type { Change, ErasedRecord, Range, RecordState, RecordView } from '#store/store.ts';
import { NONE } from './columns/int32-column.ts';
import { toTimeKey } from './columns/time-key.ts';
import { FeedIndex } from './feed/feed-index.ts';
import { GroupedRecords } from './grouped-records.ts';
import { toKeyRange } from './key-range.ts';
import { ModerationList } from './moderation-list.ts';
import { factsOf } from './post-facts.ts';
import { PostLinks } from './post-links.ts';
import { RecordOrders } from './record-orders.ts';
import type { RecordSource } from './record-source.ts';
import { RecordTable } from './record-table.ts';
import { TextUnavailable } from './text-unavailable.ts';
import { WorkBoard } from './work/work-board.ts';

/**
 * All records, moderations and write entries, indexed for every method of `Reader`. Built by applying the operations of a
 * log in order. It keeps no texts: records are numbers, and each that a read returns is read from where it is stored.
 */
export class RecordIndex {
  readonly table = new RecordTable();
  readonly writeHistory = new WriteHistory();
  readonly orders = new RecordOrders(this.table);
  readonly moderations = new ModerationList();
  readonly links = new PostLinks(this.table);
  readonly feed: FeedIndex;
  readonly #source: RecordSource;
  /** Replies by the number of their parent, and notes by that of their project. */
  readonly #children = new GroupedRecords((record) => this.table.timeOf(record));
  readonly #board: WorkBoard;
  #lastTimestamp: Timestamp | null = null;
  #lastFreezeOperation: FreezeOperation | undefined;

  constructor(source: RecordSource) {
    const { table, links } = this;
    this.#source = source;
    this.feed = new FeedIndex({
      idOf: (post) => table.idOf(post),
      timeOf: (post) => table.timeOf(post),
      isVisible: (post) => table.isVisible(post),
      prefixOf: (post) => table.prefixOf(post),
      isFirst: (post) => table.parentOf(post) === NONE,
      textsOf: (post) => (table.isThere(post) ? (this.#read([post])[0] as Post | undefined) : undefined),
    });
    this.#board = new WorkBoard({
      prefixOf: (post) => table.prefixOf(post),
      timeOf: (post) => table.timeOf(post),
      isVisible: (post) => table.isVisible(post),
      isThere: (post) => table.isThere(post),
      rootOf: (post) => table.rootOf(post),
      forEachReference: (post, action) => {
        links.forEachReference(post, action);
      },
      visibleTakers: (target) => links.visibleTakers(target),
      takerOf: (reference) => links.takerOf(reference),
    });
  }

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
    this.table.erase(this.table.reserve(id), row);
  }

  /** @returns the number of the line that added a record, erased or not; undefined if none did */
  rowOf(id: string): number | undefined {
    const row = this.table.rowOf(this.table.numberOf(id));
    return row === NONE ? undefined : row;
  }

  /** Whether there is such a record, hidden or not. */
  has(id: string): boolean {
    return this.table.isThere(this.table.numberOf(id));
  }

  isVisible(id: string): boolean {
    return this.table.isVisible(this.table.numberOf(id));
  }

  /** @returns the record, hidden or not; undefined if it is unknown or erased. @throws TextUnavailable */
  find(id: string): AnyRecord | undefined {
    const number = this.table.numberOf(id);
    return this.table.isThere(number) ? this.recordsOf([number])[0] : undefined;
  }

  /** @returns undefined unless the record is visible. @throws TextUnavailable */
  view(id: string): RecordView | undefined {
    const number = this.table.numberOf(id);
    return this.table.isVisible(number) ? this.viewsOf([number])[0] : undefined;
  }

  /** @param records that are there. @throws TextUnavailable */
  recordsOf(records: readonly number[]): AnyRecord[] {
    return this.#read(records).map((record) => {
      if (record === undefined) throw new TextUnavailable();
      return record;
    });
  }

  /** As reads return them. @param records that are visible. @throws TextUnavailable */
  viewsOf(records: readonly number[]): RecordView[] {
    return this.recordsOf(records).map((record, index) => {
      const number = records[index] ?? NONE;
      return {
        record,
        children: this.#children.size(number),
        hasLaterResult: this.table.prefixOf(number) === 'RESULT' && this.links.hasLaterResult(number),
      };
    });
  }

  /** @returns undefined if there never was such a record */
  state(id: string): RecordState | ErasedRecord | undefined {
    const { table } = this;
    const number = table.numberOf(id);
    if (!table.isThere(number)) return table.isErased(number) ? ERASED : undefined;
    const parent = table.parentOf(number);
    const root = table.rootOf(number);
    return {
      ...this.#known(number),
      kind: table.kindOf(number),
      parentId: parent === NONE ? null : table.idOf(parent),
      rootId: root === NONE ? null : table.idOf(root),
      prefix: table.prefixOf(number),
      ancestors: this.#ancestorsOf(number),
    };
  }

  /** @returns what is known of a record that has not arrived; undefined if nothing is */
  awaited(id: string): AwaitedRecord | undefined {
    const number = this.table.numberOf(id);
    return number === NONE ? undefined : this.#known(number);
  }

  /** @returns the numbers of the visible records of a range */
  page(kind: Kind, range: Range): number[] {
    const { within, thread } = range;
    const keys = toKeyRange(range);
    if (thread !== undefined) return this.links.thread(this.table.numberOf(thread), keys);
    if (within === undefined) return this.orders.page(kind, keys);
    const parent = this.table.numberOf(within);
    return this.table.isThere(parent) ? this.#children.page(parent, keys) : [];
  }

  /** @returns the lists of work. @param now milliseconds since 1970 */
  board(now: number): WorkBoard {
    this.#board.advance(now);
    return this.#board;
  }

  #remember(entry: WriteEntry | undefined, now: number): void {
    if (entry !== undefined && entry.at > now - RETENTION_MS) this.writeHistory.add(entry);
  }

  #add({ kind, record }: AddOperation, row: number): Change {
    const { table } = this;
    const number = table.reserve(record.id);
    const parentId = parentIdOf(record);
    const facts = kind === 'post' ? factsOf(record) : undefined;
    table.arrive(number, {
      row,
      time: toTimeKey(record.createdAt),
      parent: parentId === null ? NONE : table.reserve(parentId),
      root: kind === 'post' ? table.reserve(record.rootId) : NONE,
      prefix: facts?.prefix ?? null,
    });
    this.orders.arrive(number);
    if (facts !== undefined) {
      this.links.arrive(
        number,
        facts.references.map((id) => table.reserve(id)),
      );
      this.feed.add(number);
      this.#board.arrive(number, facts);
    }
    if (table.isVisible(number)) this.#updateLinks(number, 1);
    return { action: 'add', kind, id: record.id, ancestors: this.#ancestorsOf(number) };
  }

  #moderate(moderation: Moderation): Change {
    const { table } = this;
    const { action, id } = moderation;
    const number = table.reserve(id);
    const isThere = table.isThere(number);
    const ancestors = isThere ? this.#ancestorsOf(number) : [];
    this.moderations.add(moderation);
    if (!table.isErased(number) && table.moderate(number, moderation) && isThere) {
      const sign = table.isHidden(number) ? -1 : 1;
      this.orders.update(number, sign);
      this.#updateLinks(number, sign);
    }
    if (action === 'erase') this.#erase(number);
    return { action, kind: kindOf(id), id, ancestors };
  }

  /** The record is hidden already, so most indexes do not hold it. */
  #erase(number: number): void {
    const { table } = this;
    if (table.isThere(number)) {
      this.orders.remove(number);
      if (table.kindOf(number) === 'post') {
        this.feed.remove(number);
        this.#board.erase(number);
      }
    }
    table.erase(number);
  }

  /** Adds a record that becomes visible to the indexes of links (1), or removes it (-1). */
  #updateLinks(number: number, sign: 1 | -1): void {
    const parent = this.table.parentOf(number);
    if (parent !== NONE) this.#children.update(parent, number, sign);
    if (this.table.kindOf(number) !== 'post') return;
    this.links.update(number, sign);
    this.#board.update(number, sign);
  }

  #known(number: number): AwaitedRecord {
    return {
      status: this.table.isHidden(number) ? 'hidden' : 'visible',
      moderatedAt: this.table.moderatedAt(number),
      children: this.#children.size(number),
    };
  }

  /** As `Change.ancestors`. */
  #ancestorsOf(number: number): readonly string[] {
    const { table } = this;
    const idOf = (record: number): string | null => (record === NONE ? null : table.idOf(record));
    const parent = table.parentOf(number);
    const named: string[] = [];
    this.links.forEachReference(number, (_, target) => named.push(table.idOf(target)));
    const grandparent = table.isThere(parent) ? table.parentOf(parent) : NONE;
    return ancestorsOf(idOf(parent), idOf(grandparent), idOf(table.rootOf(number)), named);
  }

  /** A line that holds another record than the index says is none of it. */
  #read(records: readonly number[]): (AnyRecord | undefined)[] {
    const rows = records.map((record) => this.table.rowOf(record));
    return this.#source
      .read(rows)
      .map((record, index) => (record?.id === this.table.idOf(records[index] ?? NONE) ? record : undefined));
  }
}
