import type { Step } from '#message/step.ts';
import { isClaimed, isNamesake, mayChange, type Author } from './authors.ts';
import { statedDue, type ActiveWork, type Endable, type Fate } from './work-model.ts';

/** The WORKs of one writer that have not ended, as a list that is read from its newest one. */
interface OpenList<Work> {
  newest: Entry<Work> | null;
}

interface Entry<Work> {
  readonly work: Work;
  readonly list: OpenList<Work>;
  older: Entry<Work> | null;
  newer: Entry<Work> | null;
}

/** The WORKs of a thread that have not ended. */
export class OpenWorks<Work extends Endable> {
  /** By the writer of claimed ones, by the name of others. */
  readonly #lists = new Map<unknown, OpenList<Work>>();
  readonly #entries = new Map<Work, Entry<Work>>();

  /** @param work later than those before it */
  add(work: Work): void {
    const key = keyOf(work.author);
    const list = this.#lists.get(key) ?? { newest: null };
    this.#lists.set(key, list);
    const entry: Entry<Work> = { work, list, older: list.newest, newer: null };
    if (list.newest !== null) list.newest.newer = entry;
    list.newest = entry;
    this.#entries.set(work, entry);
  }

  /** @returns whether the WORK had not ended */
  end(work: Work): boolean {
    const entry = this.#entries.get(work);
    if (entry === undefined) return false;
    const { list, older, newer } = entry;
    if (older !== null) older.newer = newer;
    if (newer === null) list.newest = older;
    else newer.older = older;
    return this.#entries.delete(work);
  }

  /** @returns the only WORK of a writer, or, if it has none, the only one that it may change */
  only(author: Author): Work | undefined {
    const own = this.#own(author);
    const list = own.length > 0 ? own : this.#younger(author, 2);
    return list.length === 1 ? list[0] : undefined;
  }

  /** @returns the WORKs that an author may change, at most `limit`, newest first */
  of(author: Author, limit: number): Work[] {
    const works = [...this.#own(author, limit), ...this.#younger(author, limit)];
    return works.sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1)).slice(0, limit);
  }

  #own(author: Author, limit = 2): Work[] {
    const key = keyOf(author);
    return key === null ? [] : newestOf(this.#lists.get(key), limit);
  }

  /** Unclaimed ones under the name of a claimed author, younger than its first message. */
  #younger(author: Author, limit: number): Work[] {
    if (!isClaimed(author) || author.comparable === null || isNamesake(author)) return [];
    const since = author.writer?.first.createdAt ?? '';
    return newestOf(this.#lists.get(author.comparable), limit, since);
  }
}

/** @returns null for nobody's message */
function keyOf(author: Author): unknown {
  return isClaimed(author) ? author.writer : author.comparable;
}

function newestOf<Work extends Endable>(list: OpenList<Work> | undefined, limit: number, since = ''): Work[] {
  const found: Work[] = [];
  for (let entry = list?.newest ?? null; entry !== null && found.length < limit; entry = entry.older) {
    if (entry.work.step.createdAt <= since) break;
    found.push(entry.work);
  }
  return found;
}

/** What a step changes: a WORK that it opens, or WORKs that it ends or extends. */
export interface Event {
  readonly step: Step;
  readonly author: Author;
  readonly work: ActiveWork | undefined;
}

/** @returns the WORKs that an event ends or extends */
export function apply(
  { step, author, work }: Event,
  open: OpenWorks<ActiveWork>,
  works: ReadonlyMap<string, ActiveWork>,
  fateOf: (work: ActiveWork) => Fate,
): ActiveWork[] {
  const changed: ActiveWork[] = [];
  const end = (one: ActiveWork): void => {
    if (!open.end(one)) return;
    fateOf(one).endedBy = step;
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
    fateOf(only).due = { at: due, assumed: false };
    changed.push(only);
  }
  return changed;
}
