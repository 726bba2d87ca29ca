import { Ledger, MEMORY_MS } from './ledger.ts';
import { stampOf, type Addition, type Moderation, type Operation } from './operation.ts';
import { ANSWERED_BY, kindOf, parentOf, type AnyRecord, type Kind, type Post, type Question, type Stamp } from './records.ts';
import { Shelf } from './shelf.ts';
import type { Change, Kept, Range, Totals } from './store.ts';

interface Entry {
  readonly record: AnyRecord;
  hidden: boolean;
  /** Visible replies or notes; made with the first. */
  children: Shelf<Entry, Stamp> | undefined;
  /** Visible posts that answer this one. */
  answers: number;
}

const newShelf = (): Shelf<Entry, Stamp> => new Shelf((entry) => entry.record.createdAt);

const isQuestion = (prefix: string | null): prefix is Question => prefix !== null && prefix in ANSWERED_BY;

/** All that is kept, in memory, with an index for every question a reader may ask. */
export class State {
  readonly ledger = new Ledger();
  readonly moderations: Moderation[] = [];
  readonly #entries = new Map<string, Entry>();
  readonly #shelves: Record<Kind, Shelf<Entry, Stamp>> = {
    post: newShelf(), guest: newShelf(), project: newShelf(), note: newShelf(),
  };
  readonly #unanswered: Record<Question, Shelf<Entry, Stamp>> = { IDEA: newShelf(), RESULT: newShelf() };
  readonly #byPrefix: Record<string, number> = {};
  #threads = 0;
  #last: Stamp | null = null;

  /** The latest stamp given. */
  get last(): Stamp | null {
    return this.#last;
  }

  /** @param now wall-clock time; a visit older than a day is not remembered */
  apply(operation: Operation, now: number): Change {
    const at = stampOf(operation);
    if (this.#last === null || at > this.#last) this.#last = at;
    return operation.action === 'add' ? this.#add(operation, now) : this.#moderate(operation);
  }

  /** @returns the record, hidden or not. */
  find(id: string): (Kept & { hidden: boolean }) | undefined {
    const entry = this.#entries.get(id);
    return entry && { ...keptOf(entry), hidden: entry.hidden };
  }

  page(kind: Kind, { within, before, after, order, limit }: Range): Kept[] {
    const shelf = within === undefined ? this.#shelves[kind] : this.#entries.get(within)?.children;
    const entries = order === 'newest' ? shelf?.newest(limit, before, after) : shelf?.oldest(limit, before, after);
    return entries?.map(keptOf) ?? [];
  }

  unanswered(prefix: Question, limit: number): Kept[] {
    return this.#unanswered[prefix].newest(limit).map(keptOf);
  }

  totals(): Totals {
    return {
      posts: this.#shelves.post.size,
      threads: this.#threads,
      byPrefix: { ...this.#byPrefix },
      guests: this.#shelves.guest.size,
      projects: this.#shelves.project.size,
    };
  }

  /** The shortest list of operations that makes this state again. */
  *operations(): Iterable<Operation> {
    const visits = new Map([...this.ledger.visits()].map((visit) => [visit.id, visit]));
    const entries = [...this.#entries.values()].sort((a, b) => (a.record.createdAt < b.record.createdAt ? -1 : 1));
    for (const { record } of entries) {
      yield { action: 'add', kind: kindOf(record.id), record, visit: visits.get(record.id) } as Addition;
    }
    yield* this.moderations;
  }

  #add({ kind, record, visit }: Addition, now: number): Change {
    const entry: Entry = { record, hidden: false, children: undefined, answers: 0 };
    this.#entries.set(record.id, entry);
    this.#show(kind, entry, 1);
    if (visit !== undefined && visit.at > now - MEMORY_MS) this.ledger.add(visit);
    return { action: 'add', kind, id: record.id, parentId: parentOf(record) };
  }

  #moderate(moderation: Moderation): Change {
    const { action, id } = moderation;
    this.moderations.push(moderation);
    const kind = kindOf(id);
    const entry = this.#entries.get(id);
    if (entry === undefined) return { action, kind, id, parentId: null };
    if (entry.hidden !== (action === 'hide')) {
      entry.hidden = !entry.hidden;
      this.#show(kind, entry, entry.hidden ? -1 : 1);
    }
    return { action, kind, id, parentId: parentOf(entry.record) };
  }

  /** Puts an entry into every index (1), or takes it out of them (-1). */
  #show(kind: Kind, entry: Entry, sign: 1 | -1): void {
    place(this.#shelves[kind], entry, sign);
    const parent = this.#entries.get(parentOf(entry.record) ?? '');
    if (parent !== undefined) place((parent.children ??= newShelf()), entry, sign);
    if (kind === 'post') this.#showPost(entry, entry.record as Post, sign);
  }

  #showPost(entry: Entry, post: Post, sign: 1 | -1): void {
    const name = post.prefix ?? 'none';
    this.#byPrefix[name] = (this.#byPrefix[name] ?? 0) + sign;
    if (post.parentId === null) this.#threads += sign;
    if (isQuestion(post.prefix) && entry.answers === 0) place(this.#unanswered[post.prefix], entry, sign);
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
    place(this.#unanswered[prefix], question, waited ? -1 : 1);
  }
}

function place(shelf: Shelf<Entry, Stamp>, entry: Entry, sign: 1 | -1): void {
  if (sign === 1) shelf.add(entry);
  else shelf.remove(entry);
}

function keptOf(entry: Entry): Kept {
  return { record: entry.record, children: entry.children?.size ?? 0 };
}
