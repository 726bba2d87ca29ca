import { WriteHistory, RETENTION_MS } from '#store/engine/write-history.ts';
import {
  isFreezing,
  timestampOf,
  type Addition,
  type FreezeOperation,
  type Moderation,
  type Operation,
} from '#store/engine/operation.ts';
import {
  ANSWERED_BY,
  kindOf,
  parentOf,
  type AnyRecord,
  type Kind,
  type Post,
  type AnswerablePrefix,
  type Stamp,
} from '#store/records.ts';
import { SortedList } from '#store/engine/sorted-list.ts';
import type { Change, RecordView, Range, Totals } from '#store/store.ts';

interface IndexEntry {
  readonly record: AnyRecord;
  hidden: boolean;
  /** Visible replies or notes; made with the first. */
  children: SortedList<IndexEntry, Stamp> | undefined;
  /** Visible posts that answer this one. */
  answers: number;
}

const createSortedList = (): SortedList<IndexEntry, Stamp> =>
  new SortedList((entry) => entry.record.createdAt);

const isQuestion = (prefix: string | null): prefix is AnswerablePrefix =>
  prefix !== null && prefix in ANSWERED_BY;

/** All that is kept, in memory, with an index for every question a reader may ask. */
export class RecordIndex {
  readonly history = new WriteHistory();
  readonly #entries = new Map<string, IndexEntry>();
  /** Every record, hidden or not. */
  readonly #history = createSortedList();
  readonly #moderations = new SortedList<Moderation, Stamp>(({ at }) => at);
  readonly #erased = new Set<string>();
  readonly #lists: Record<Kind, SortedList<IndexEntry, Stamp>> = {
    post: createSortedList(),
    guest: createSortedList(),
    project: createSortedList(),
    note: createSortedList(),
  };
  readonly #unanswered: Record<AnswerablePrefix, SortedList<IndexEntry, Stamp>> = {
    IDEA: createSortedList(),
    RESULT: createSortedList(),
  };
  readonly #byPrefix: Record<string, number> = {};
  #threads = 0;
  #lastTimestamp: Stamp | null = null;
  #freezing: FreezeOperation | undefined;

  /** The latest stamp given. */
  get lastTimestamp(): Stamp | null {
    return this.#lastTimestamp;
  }

  /** Whether an operator stopped all writing. */
  get frozen(): boolean {
    return this.#freezing?.action === 'freeze';
  }

  /**
   * @param now wall-clock time; a visit older than a day is not remembered
   * @returns what readers may want to know of it
   */
  apply(operation: Operation, now: number): Change | undefined {
    const at = timestampOf(operation);
    if (this.#lastTimestamp === null || at > this.#lastTimestamp) this.#lastTimestamp = at;
    if (isFreezing(operation)) {
      this.#freezing = operation;
      return undefined;
    }
    if (operation.visit !== undefined && operation.visit.at > now - RETENTION_MS)
      this.history.add(operation.visit);
    return operation.action === 'add' ? this.#add(operation) : this.#moderate(operation);
  }

  /** @returns the record, hidden or not. */
  find(id: string): (RecordView & { hidden: boolean }) | undefined {
    const entry = this.#entries.get(id);
    return entry && { ...toRecordView(entry), hidden: entry.hidden };
  }

  /** @returns whether an operator erased the record. */
  erased(id: string): boolean {
    return this.#erased.has(id);
  }

  /** @returns whether a record of that kind has that stamp already. */
  hasTimestamp(kind: Kind, at: Stamp): boolean {
    return this.#history.at(at).some(({ record }) => kindOf(record.id) === kind);
  }

  moderationAt(at: Stamp): Moderation | undefined {
    return this.#moderations.at(at)[0];
  }

  moderations(limit: number): Moderation[] {
    return this.#moderations.newest(limit);
  }

  page(kind: Kind, { within, before, after, order, limit }: Range): RecordView[] {
    const shelf = within === undefined ? this.#lists[kind] : this.#entries.get(within)?.children;
    const entries =
      order === 'newest' ? shelf?.newest(limit, before, after) : shelf?.oldest(limit, before, after);
    return entries?.map(toRecordView) ?? [];
  }

  unanswered(prefix: AnswerablePrefix, limit: number): RecordView[] {
    return this.#unanswered[prefix].newest(limit).map(toRecordView);
  }

  totals(): Totals {
    return {
      posts: this.#lists.post.size,
      threads: this.#threads,
      byPrefix: { ...this.#byPrefix },
      guests: this.#lists.guest.size,
      projects: this.#lists.project.size,
    };
  }

  /** The shortest list of operations that makes this state again: the records, what was done to them, the rest. */
  *operations(): Iterable<Operation> {
    const visits = new Map([...this.history.entries()].map((visit) => [visit.id, visit]));
    for (const { record } of this.#history.oldest(this.#history.size)) {
      yield { action: 'add', kind: kindOf(record.id), record, visit: visits.get(record.id) } as Addition;
    }
    for (const moderation of this.#moderations.oldest(this.#moderations.size)) {
      const visit = moderation.action === 'erase' ? visits.get(moderation.id) : undefined;
      if (moderation.action === 'erase') visits.delete(moderation.id);
      yield { ...moderation, visit };
    }
    if (this.#freezing !== undefined) yield this.#freezing;
  }

  #add({ kind, record }: Addition): Change {
    const entry: IndexEntry = { record, hidden: false, children: undefined, answers: 0 };
    this.#entries.set(record.id, entry);
    this.#history.add(entry);
    this.#show(kind, entry, 1);
    return { action: 'add', kind, id: record.id, ancestors: this.#ancestorsOf(record) };
  }

  #moderate({ action, id, at, reason }: Moderation): Change {
    const kind = kindOf(id);
    const entry = this.#entries.get(id);
    this.#moderations.add({ action, id, at, reason });
    if (action === 'erase') this.#erased.add(id);
    if (entry === undefined) return { action, kind, id, ancestors: [] };
    if (entry.hidden === (action === 'unhide')) {
      entry.hidden = !entry.hidden;
      this.#show(kind, entry, entry.hidden ? -1 : 1);
    }
    if (action === 'erase') this.#forget(kind, entry);
    return { action, kind, id, ancestors: this.#ancestorsOf(entry.record) };
  }

  #ancestorsOf(record: AnyRecord): string[] {
    const parentId = parentOf(record);
    if (parentId === null) return [];
    const parent = this.#entries.get(parentId);
    const above = [parentId, parent && parentOf(parent.record), 'rootId' in record ? record.rootId : null];
    return [...new Set(above.filter((id) => typeof id === 'string'))];
  }

  #forget(kind: Kind, entry: IndexEntry): void {
    if (!entry.hidden) this.#show(kind, entry, -1);
    this.#history.remove(entry);
    this.#entries.delete(entry.record.id);
  }

  /** Puts an entry into every index (1), or takes it out of them (-1). */
  #show(kind: Kind, entry: IndexEntry, sign: 1 | -1): void {
    updateList(this.#lists[kind], entry, sign);
    const parent = this.#entries.get(parentOf(entry.record) ?? '');
    if (parent !== undefined) updateList((parent.children ??= createSortedList()), entry, sign);
    if (kind === 'post') this.#showPost(entry, entry.record as Post, sign);
  }

  #showPost(entry: IndexEntry, post: Post, sign: 1 | -1): void {
    const name = post.prefix ?? 'none';
    this.#byPrefix[name] = (this.#byPrefix[name] ?? 0) + sign;
    if (post.parentId === null) this.#threads += sign;
    if (isQuestion(post.prefix) && entry.answers === 0)
      updateList(this.#unanswered[post.prefix], entry, sign);
    for (const id of post.answers) this.#answer(id, post, sign);
  }

  #answer(id: string, answer: Post, sign: 1 | -1): void {
    const question = this.#entries.get(id);
    if (question === undefined || !('prefix' in question.record)) return;
    const { prefix } = question.record;
    if (!isQuestion(prefix) || ANSWERED_BY[prefix] !== answer.prefix) return;
    const waited = question.answers === 0;
    question.answers += sign;
    if (question.hidden || waited === (question.answers === 0)) return;
    updateList(this.#unanswered[prefix], question, waited ? -1 : 1);
  }
}

function updateList(shelf: SortedList<IndexEntry, Stamp>, entry: IndexEntry, sign: 1 | -1): void {
  if (sign === 1) shelf.add(entry);
  else shelf.remove(entry);
}

function toRecordView(entry: IndexEntry): RecordView {
  return { record: entry.record, children: entry.children?.size ?? 0 };
}
