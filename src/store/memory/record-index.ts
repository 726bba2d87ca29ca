import { takesUp } from '#message/references.ts';
import { WriteHistory, RETENTION_MS, type WriteEntry } from '#store/engine/write-history.ts';
import {
  isFreezeOperation,
  timestampOf,
  type AddOperation,
  type ErasedAddition,
  type Moderation,
  type Operation,
} from '#store/engine/operation.ts';
import { parentIdOf, type AnyRecord, type Kind, type Post, type Timestamp } from '#store/port/records.ts';
import type { FreezeOperation, Range, RecordView } from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import { BEFORE_ALL, toTimeKey, toTimestamp, type TimeKey } from './columns/time-key.ts';
import { FeedIndex } from './feed/feed-index.ts';
import { GroupedRecords } from './grouped-records.ts';
import { toKeyRange } from './key-range.ts';
import { LastPosts } from './last-posts.ts';
import { ModerationList } from './moderation-list.ts';
import { RecordOrders } from './record-orders.ts';
import { TextUnavailable, type RecordSource } from './stored-records.ts';
import { RecordTable, type RecordHead } from './record-table.ts';
import { StepList } from './step-list.ts';
import { TakerIndex } from './taker-index.ts';

/**
 * All records, moderations and write entries, indexed for every method of `Reader`. Built by applying the
 * operations of a log in order. It keeps no texts: records are numbers, and each that a read returns is read
 * from where it is stored.
 */
export class RecordIndex {
  readonly table: RecordTable;
  readonly writeHistory = new WriteHistory();
  readonly orders: RecordOrders;
  readonly moderations = new ModerationList();
  readonly feed: FeedIndex;
  readonly steps: StepList;
  /** Visible posts by the number of their root, which need not be there. */
  readonly threads: GroupedRecords;
  readonly lastPosts: LastPosts;
  readonly takers: TakerIndex;
  /** Replies by the number of their parent, and notes by that of their project. */
  readonly children: GroupedRecords;
  readonly #source: RecordSource;
  #lastTime: TimeKey = BEFORE_ALL;
  /** That of `#lastTime`, if it was asked for. */
  #lastTimestamp: Timestamp | undefined;
  #lastFreezeOperation: FreezeOperation | undefined;
  #lastLine = 0;

  /** @param expectedRecords about how many will come, so that the table of ids need not grow */
  constructor(source: RecordSource, expectedRecords = 0) {
    const table = (this.table = new RecordTable(expectedRecords));
    const timeOf = (record: number): TimeKey => table.timeOf(record);
    this.#source = source;
    this.orders = new RecordOrders(table);
    this.threads = new GroupedRecords(timeOf);
    this.lastPosts = new LastPosts(timeOf);
    this.takers = new TakerIndex(timeOf);
    this.children = new GroupedRecords(timeOf);
    this.feed = new FeedIndex({
      idOf: (post) => table.ids.idOf(post),
      timeOf,
      isVisible: (post) => table.isVisible(post),
      prefixOf: (post) => table.prefixOf(post),
      isFirst: (post) => table.parentOf(post) === NONE,
      textsOf: (post) => (table.isThere(post) ? (this.readRecords([post])[0] as Post) : undefined),
    });
    this.steps = new StepList(table, (posts) => this.readRecords(posts) as Post[]);
  }

  get lastTimestamp(): Timestamp | null {
    if (this.#lastTime === BEFORE_ALL) return null;
    return (this.#lastTimestamp ??= toTimestamp(this.#lastTime));
  }

  get lastLine(): number {
    return this.#lastLine;
  }

  get frozen(): boolean {
    return this.#lastFreezeOperation?.action === 'freeze';
  }

  /**
   * @param now milliseconds since 1970; a write entry older than `RETENTION_MS` is dropped
   * @param line the number of the line
   * @param addsWords whether searches get the words of a post right away, as of `FeedIndex.add`
   */
  apply(operation: Operation, now: number, line: number, addsWords = false): void {
    this.#lastLine = line;
    this.#advanceTo(toTimeKey(timestampOf(operation)));
    if (isFreezeOperation(operation)) {
      this.#lastFreezeOperation = operation;
      return;
    }
    this.#remember(operation.writeEntry, now);
    if (operation.action === 'add') this.#add(operation, line, addsWords);
    else this.#moderate(operation, line);
  }

  /** Applies a line whose record was erased. Parameters as of `apply`. */
  applyErased({ id, at, writeEntry }: ErasedAddition, now: number, line: number): void {
    this.#lastLine = line;
    this.#advanceTo(toTimeKey(at));
    this.#remember(writeEntry, now);
    this.table.erase(this.table.ids.reserve(id), line);
  }

  /**
   * Adds a record without its texts and its write entry.
   * @param references the posts that a post takes up
   */
  restore(number: number, head: RecordHead, references: readonly number[]): void {
    this.#lastLine = head.line;
    this.#advanceTo(head.time);
    this.#arrive(number, head, references);
  }

  /** @returns the number of the line that added a record, erased or not; undefined if none did */
  lineOf(id: string): number | undefined {
    const line = this.table.lineOf(this.table.ids.find(id));
    return line === NONE ? undefined : line;
  }

  has(id: string): boolean {
    return this.table.isThere(this.table.ids.find(id));
  }

  isVisible(id: string): boolean {
    return this.table.isVisible(this.table.ids.find(id));
  }

  /** @param numbers of records that are there. @throws TextUnavailable */
  readRecords(numbers: readonly number[]): AnyRecord[] {
    const records = this.#source.read(numbers.map((number) => this.table.lineOf(number)));
    return numbers.map((number, index) => {
      const record = records[index];
      // A line may hold another record than the table says.
      if (record?.id !== this.table.ids.idOf(number)) throw new TextUnavailable();
      return record;
    });
  }

  /** @param numbers of records that are visible. @throws TextUnavailable */
  readViews(numbers: readonly number[]): RecordView[] {
    return this.readRecords(numbers).map((record, index) => {
      const number = numbers[index] ?? NONE;
      return { record, children: this.children.size(number) };
    });
  }

  page(kind: Kind, range: Range): number[] {
    const { within, thread } = range;
    const keys = toKeyRange(range);
    if (thread !== undefined) return this.threads.page(this.table.ids.find(thread), keys);
    if (within === undefined) return this.orders.page(kind, keys);
    const parent = this.table.ids.find(within);
    return this.table.isThere(parent) ? this.children.page(parent, keys) : [];
  }

  #advanceTo(time: TimeKey): void {
    if (time <= this.#lastTime) return;
    this.#lastTime = time;
    this.#lastTimestamp = undefined;
  }

  #remember(entry: WriteEntry | undefined, now: number): void {
    if (entry !== undefined && entry.at > now - RETENTION_MS) this.writeHistory.add(entry);
  }

  #add({ kind, record }: AddOperation, line: number, addsWords: boolean): void {
    const { table } = this;
    const number = table.ids.reserve(record.id);
    const parentId = parentIdOf(record);
    const head: RecordHead = {
      line,
      time: toTimeKey(record.createdAt),
      parent: parentId === null ? NONE : table.ids.reserve(parentId),
      root: kind === 'post' ? table.ids.reserve(record.rootId) : NONE,
      prefix: kind === 'post' ? record.prefix : null,
    };
    const references = kind === 'post' ? takesUp(record).map((id) => table.ids.reserve(id)) : [];
    const texts = kind === 'post' && addsWords ? record : undefined;
    this.#arrive(number, head, references, texts);
  }

  /**
   * @param references the posts that a post takes up
   * @param texts of a post whose words searches get right away
   */
  #arrive(number: number, head: RecordHead, references: readonly number[], texts?: Post): void {
    this.table.arrive(number, head);
    this.orders.arrive(number);
    if (head.root !== NONE) {
      this.takers.arrive(number, references);
      this.feed.add(number, texts);
    }
    if (this.table.isVisible(number)) this.#updateLinks(number, 1);
  }

  #moderate(moderation: Moderation, line: number): void {
    const { table } = this;
    const number = table.ids.reserve(moderation.id);
    this.moderations.add(moderation, line);
    if (!table.isErased(number) && table.moderate(number, moderation) && table.isThere(number)) {
      const sign = table.isHidden(number) ? -1 : 1;
      this.orders.update(number, sign);
      this.#updateLinks(number, sign);
    }
    if (moderation.action === 'erase') this.#erase(number);
  }

  /** The record is hidden already, so most indexes do not hold it. */
  #erase(number: number): void {
    if (this.table.isThere(number)) {
      this.orders.remove(number);
      if (this.table.rootOf(number) !== NONE) this.feed.remove(number);
    }
    this.table.erase(number);
  }

  /** Adds a record that becomes visible to the indexes of links (1), or removes it (-1). */
  #updateLinks(number: number, sign: 1 | -1): void {
    const { table, threads } = this;
    const [parent, root] = [table.parentOf(number), table.rootOf(number)];
    if (parent !== NONE) this.children.update(parent, number, sign);
    if (root === NONE) return;
    const last = threads.last(root);
    threads.update(root, number, sign);
    this.lastPosts.replace(last, threads.last(root));
    this.takers.update(number, sign);
    this.steps.update(number, sign);
  }
}
