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
import { SortedList } from '#store/engine/sorted-list.ts';
import {
  ERASED,
  isHiddenAfter,
  moderatedAtAfter,
  NOTHING_AWAITED,
  toRecordState,
  type AwaitedRecord,
} from '#store/engine/record-state.ts';
import { FeedIndex } from './feed/feed-index.ts';
import { NONE } from './int32-column.ts';
import { PostLinks } from './post-links.ts';
import { WorkBoard } from './work/work-board.ts';
import type { Change, ErasedRecord, PostHead, Range, RecordState, RecordView, Totals } from '#store/store.ts';

/** Among so many posts behind a cursor the next one of a long thread is looked for. */
const NEARBY_POSTS = 256;

type PostRange = Pick<Range, 'order' | 'limit' | 'before' | 'after'>;

interface IndexEntry {
  readonly record: AnyRecord;
  /** Of a post, as in `PostLinks`. */
  readonly number: number;
  /** The number of the line that added it. */
  readonly row: number;
  hidden: boolean;
  /** As in `RecordState`. */
  moderatedAt: Timestamp | null;
  /** Visible replies or notes; created with the first one. */
  children: SortedList<IndexEntry, Timestamp> | undefined;
}

/** What is known of a record that no line has added yet. */
type AwaitedEntry = Pick<IndexEntry, 'hidden' | 'moderatedAt' | 'children'>;

/** An entry of a post. */
export interface PostEntry extends IndexEntry {
  readonly record: Post;
}

const isPostEntry = (entry: IndexEntry): entry is PostEntry => kindOf(entry.record.id) === 'post';

const createSortedList = (): SortedList<IndexEntry, Timestamp> =>
  new SortedList((entry) => entry.record.createdAt);

/**
 * All records, moderations and write entries in memory, indexed for every method of `Reader`. Built by
 * applying the operations of a log in order.
 */
export class RecordIndex {
  readonly writeHistory = new WriteHistory();
  readonly feed = new FeedIndex<PostEntry>();
  /** By id, hidden or not. */
  readonly #entries = new Map<string, IndexEntry>();
  /** Invariant: holds exactly the values of `#entries`. */
  readonly #records = createSortedList();
  readonly #moderations = new SortedList<Moderation, Timestamp>(({ at }) => at);
  /** The number of the line that added the record; undefined if none did. Invariant: no id of it is in `#entries`. */
  readonly #erasedIds = new Map<string, number | undefined>();
  /** By id. Invariant: no id of it is in `#entries` or `#erasedIds`. */
  readonly #awaited = new Map<string, AwaitedEntry>();
  /** Visible records by kind. */
  readonly #lists: Record<Kind, SortedList<IndexEntry, Timestamp>> = {
    post: createSortedList(),
    guest: createSortedList(),
    project: createSortedList(),
    note: createSortedList(),
  };
  readonly #links = new PostLinks((id) => this.#entries.get(id) as PostEntry | undefined);
  readonly #board = new WorkBoard<PostEntry>(this.#links);
  /** Visible posts; `none` counts the posts without a prefix. */
  readonly #countByPrefix: Record<string, number> = {};
  /** Visible posts without a parent. */
  #threadCount = 0;
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
    this.#awaited.delete(id);
    this.#erasedIds.set(id, row);
  }

  /** @returns the number of the line that added a record, erased or not; undefined if none did */
  rowOf(id: string): number | undefined {
    return this.#entries.get(id)?.row ?? this.#erasedIds.get(id);
  }

  /** @returns the record, hidden or not; undefined if it is unknown or erased */
  find(id: string): AnyRecord | undefined {
    return this.#entries.get(id)?.record;
  }

  /** @returns undefined unless the record is visible */
  view(id: string): RecordView | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined || entry.hidden ? undefined : this.#viewOf(entry);
  }

  /** @returns undefined if there never was such a record */
  state(id: string): RecordState | ErasedRecord | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return this.#erasedIds.has(id) ? ERASED : undefined;
    return toRecordState(entry.record, this.#grandparentIdOf(entry.record), toAwaitedRecord(entry));
  }

  /** @returns undefined unless something of the record arrived, and not the record */
  awaited(id: string): AwaitedRecord | undefined {
    const awaited = this.#awaited.get(id);
    return awaited && toAwaitedRecord(awaited);
  }

  /** @returns whether a record of the kind, hidden or not, has the timestamp */
  hasTimestamp(kind: Kind, at: Timestamp): boolean {
    return this.#records.at(at).some(({ record }) => kindOf(record.id) === kind);
  }

  hasModeration({ at, id, action }: Pick<Moderation, 'at' | 'id' | 'action'>): boolean {
    return this.#moderations.at(at).some((other) => other.id === id && other.action === action);
  }

  moderations(limit: number): Moderation[] {
    return this.#moderations.newest(limit);
  }

  page(kind: Kind, range: Range): RecordView[] {
    const { within, thread } = range;
    if (thread !== undefined) {
      const postsAt = (at: Timestamp): PostEntry[] => this.#lists.post.at(at) as PostEntry[];
      return this.#links.thread(thread, range, postsAt).map(this.#viewOf);
    }
    const list = within === undefined ? this.#lists[kind] : this.#entries.get(within)?.children;
    return list === undefined ? [] : entriesIn(list, range).map(this.#viewOf);
  }

  /** @returns the visible posts of a range */
  posts(range: PostRange): PostEntry[] {
    return entriesIn(this.#lists.post, range) as PostEntry[];
  }

  /** @param entry of a visible post */
  isLastOfThread(entry: PostEntry): boolean {
    return this.#links.isLastOfThread(entry);
  }

  /** As `Reader.threadSize`. */
  threadSize(rootId: string): number {
    return this.#links.threadSize(rootId);
  }

  /** As `Reader.takersOf`. */
  takersOf(id: string, limit: number): PostHead[] {
    return this.#links
      .takersOf(id, limit)
      .map(({ record: { id: takerId, prefix, name = null, createdAt } }) => ({
        id: takerId,
        prefix,
        name,
        createdAt,
      }));
  }

  /** As `PostLinks.answersAfter`. */
  *answersAfter(ids: readonly string[], after: Timestamp): Generator<RecordView<'post'>, undefined> {
    const nearby = this.posts({ order: 'oldest', after, limit: NEARBY_POSTS });
    for (const entry of this.#links.answersAfter(ids, after, nearby))
      yield this.#viewOf(entry) as RecordView<'post'>;
    return undefined;
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

  totals(): Totals {
    return {
      posts: this.#lists.post.size,
      threads: this.#threadCount,
      byPrefix: { ...this.#countByPrefix },
      guests: this.#lists.guest.size,
      projects: this.#lists.project.size,
    };
  }

  /** All records that are not erased, hidden or not, oldest first. */
  records(): AnyRecord[] {
    return this.#records.oldest(this.#records.size).map(({ record }) => record);
  }

  /** Oldest first. */
  allModerations(): Moderation[] {
    return this.#moderations.oldest(this.#moderations.size);
  }

  /** As reads return it. @param entry of a record that is visible */
  readonly #viewOf = (entry: IndexEntry): RecordView => {
    const isResult = 'prefix' in entry.record && entry.record.prefix === 'RESULT';
    return {
      record: entry.record,
      children: entry.children?.size ?? 0,
      hasLaterResult: isResult && this.#links.hasLaterResult(entry as PostEntry),
    };
  };

  #remember(entry: WriteEntry | undefined, now: number): void {
    if (entry !== undefined && entry.at > now - RETENTION_MS) this.writeHistory.add(entry);
  }

  #add({ kind, record }: AddOperation, row: number): Change {
    const { hidden = false, moderatedAt = null, children } = this.#awaited.get(record.id) ?? {};
    const toEntry = (number: number): IndexEntry => ({
      record,
      number,
      row,
      hidden,
      moderatedAt,
      children,
    });
    const entry =
      kind === 'post' ? this.#links.arrive(record, (number) => toEntry(number) as PostEntry) : toEntry(NONE);
    this.#awaited.delete(record.id);
    this.#entries.set(record.id, entry);
    this.#records.add(entry);
    if (kind === 'post') {
      this.feed.add(entry as PostEntry);
      this.#board.arrive(entry as PostEntry);
    }
    if (!hidden) this.#updateIndexes(kind, entry, 1);
    return { action: 'add', kind, id: record.id, ancestors: this.#ancestorsOf(record) };
  }

  #moderate({ action, id, at, reason }: Moderation): Change {
    const kind = kindOf(id);
    const entry = this.#entries.get(id);
    this.#moderations.add({ action, id, at, reason });
    if (action === 'erase') {
      this.#erasedIds.set(id, this.rowOf(id));
      this.#awaited.delete(id);
    }
    if (entry === undefined) {
      if (!this.#erasedIds.has(id)) applyModeration(this.#await(id), { action, at });
      return { action, kind, id, ancestors: [] };
    }
    // An erase hides a visible record too.
    if (applyModeration(entry, { action, at })) this.#updateIndexes(kind, entry, entry.hidden ? -1 : 1);
    if (action === 'erase') this.#remove(entry);
    return { action, kind, id, ancestors: this.#ancestorsOf(entry.record) };
  }

  /** @param id of a record that is neither there nor erased */
  #await(id: string): AwaitedEntry {
    let awaited = this.#awaited.get(id);
    if (awaited === undefined) {
      awaited = {
        hidden: false,
        moderatedAt: null,
        children: undefined,
      };
      this.#awaited.set(id, awaited);
    }
    return awaited;
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
    this.#records.remove(entry);
    if (isPostEntry(entry)) {
      this.#links.erase(entry);
      this.feed.remove(entry);
      this.#board.erase(entry);
    }
    this.#entries.delete(entry.record.id);
  }

  /** Adds an entry that becomes visible to every index (1), or removes it (-1). */
  #updateIndexes(kind: Kind, entry: IndexEntry, sign: 1 | -1): void {
    updateList(this.#lists[kind], entry, sign);
    const parentId = parentIdOf(entry.record);
    if (parentId !== null && !this.#erasedIds.has(parentId)) {
      const parent = this.#entries.get(parentId) ?? this.#await(parentId);
      updateList((parent.children ??= createSortedList()), entry, sign);
    }
    if (kind === 'post') this.#updatePostIndexes(entry as PostEntry, sign);
  }

  #updatePostIndexes(entry: PostEntry, sign: 1 | -1): void {
    const post = entry.record;
    this.#links.update(entry, sign);
    this.#board.update(entry, sign);
    const name = post.prefix ?? 'none';
    this.#countByPrefix[name] = (this.#countByPrefix[name] ?? 0) + sign;
    if (post.parentId === null) this.#threadCount += sign;
  }
}

function updateList(list: SortedList<IndexEntry, Timestamp>, entry: IndexEntry, sign: 1 | -1): void {
  if (sign === 1) list.add(entry);
  else list.remove(entry);
}

/** @returns whether the record is hidden and was not, or the other way round */
function applyModeration(
  entry: Pick<IndexEntry, 'hidden' | 'moderatedAt'>,
  moderation: Pick<Moderation, 'action' | 'at'>,
): boolean {
  const wasHidden = entry.hidden;
  const status = wasHidden ? 'hidden' : 'visible';
  entry.hidden = isHiddenAfter({ status, moderatedAt: entry.moderatedAt }, moderation);
  entry.moderatedAt = moderatedAtAfter(entry.moderatedAt, moderation);
  return entry.hidden !== wasHidden;
}

function toAwaitedRecord({ hidden, moderatedAt, children }: AwaitedEntry): AwaitedRecord {
  return { status: hidden ? 'hidden' : 'visible', moderatedAt, children: children?.size ?? 0 };
}

function entriesIn(
  list: SortedList<IndexEntry, Timestamp>,
  { order, limit, before, after }: PostRange,
): IndexEntry[] {
  return order === 'newest' ? list.newest(limit, before, after) : list.oldest(limit, before, after);
}
