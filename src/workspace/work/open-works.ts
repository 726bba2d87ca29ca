import type { Step } from '#message/step.ts';
import { isClaimed, isNamesake, mayChange, type Author } from './authors.ts';
import { statedDue, type ActiveWork, type WorkStatus } from './work-model.ts';

/** The WORKs of one writer that have not ended, as a linked list from the newest one. */
interface OpenList {
  newest: Entry | null;
}

interface Entry {
  readonly work: ActiveWork;
  readonly list: OpenList;
  older: Entry | null;
  newer: Entry | null;
}

/** The WORKs of a thread that have not ended. */
export class OpenWorks {
  /** By the writer of a claimed WORK, by the name of any other. */
  readonly #lists = new Map<unknown, OpenList>();
  readonly #entries = new Map<ActiveWork, Entry>();

  /** @param work later than all that were added before */
  add(work: ActiveWork): void {
    const key = keyOf(work.author);
    const list = this.#lists.get(key) ?? { newest: null };
    this.#lists.set(key, list);
    const entry: Entry = { work, list, older: list.newest, newer: null };
    if (list.newest !== null) list.newest.newer = entry;
    list.newest = entry;
    this.#entries.set(work, entry);
  }

  /** @returns whether the WORK was open */
  end(work: ActiveWork): boolean {
    const entry = this.#entries.get(work);
    if (entry === undefined) return false;
    const { list, older, newer } = entry;
    if (older !== null) older.newer = newer;
    if (newer === null) list.newest = older;
    else newer.older = older;
    return this.#entries.delete(work);
  }

  /** @returns the only open WORK of a writer; of a writer without one, the only one that it may change */
  only(author: Author): ActiveWork | undefined {
    const own = this.#own(author);
    const list = own.length > 0 ? own : this.#younger(author, 2);
    return list.length === 1 ? list[0] : undefined;
  }

  /** @returns the WORKs that an author may change, at most `limit`, newest first */
  of(author: Author, limit: number): ActiveWork[] {
    const works = [...this.#own(author, limit), ...this.#younger(author, limit)];
    return works.sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1)).slice(0, limit);
  }

  #own(author: Author, limit = 2): ActiveWork[] {
    const key = keyOf(author);
    return key === null ? [] : newestOf(this.#lists.get(key), limit);
  }

  /** The unclaimed WORKs with the name of a claimed author, later than the first message of its writer. */
  #younger(author: Author, limit: number): ActiveWork[] {
    if (!isClaimed(author) || author.comparable === null || isNamesake(author)) return [];
    const since = author.writer?.first.createdAt ?? '';
    return newestOf(this.#lists.get(author.comparable), limit, since);
  }
}

/** @returns null for a message without a name and without a claimed mark */
function keyOf(author: Author): unknown {
  return isClaimed(author) ? author.writer : author.comparable;
}

function newestOf(list: OpenList | undefined, limit: number, since = ''): ActiveWork[] {
  const found: ActiveWork[] = [];
  for (let entry = list?.newest ?? null; entry !== null && found.length < limit; entry = entry.older) {
    if (entry.work.step.createdAt <= since) break;
    found.push(entry.work);
  }
  return found;
}

/** A step that opens, ends or extends WORKs. */
export interface WorkEvent {
  readonly step: Step;
  readonly author: Author;
  /** The WORK that it opens. */
  readonly work: ActiveWork | undefined;
}

/** @returns the WORKs that an event ends or extends */
export function applyEvent(
  { step, author, work }: WorkEvent,
  open: OpenWorks,
  works: ReadonlyMap<string, ActiveWork>,
  statusOf: (work: ActiveWork) => WorkStatus,
): ActiveWork[] {
  const changed: ActiveWork[] = [];
  const end = (one: ActiveWork): void => {
    if (!open.end(one)) return;
    statusOf(one).endedBy = step;
    changed.push(one);
  };
  if (work !== undefined) open.add(work);
  for (const id of step.ends ?? []) {
    const ended = works.get(id);
    if (ended !== undefined && ended !== work && mayChange(author, ended.author)) end(ended);
  }
  if (step.prefix !== 'RESULT' || step.ends !== null || step.corrects.length > 0) return changed;
  const only = open.only(author);
  const due = statedDue(step);
  if (only === undefined) return changed;
  if (due === null) end(only);
  else {
    statusOf(only).due = { at: due, assumed: false };
    changed.push(only);
  }
  return changed;
}
