const MINUTE_MS = 60_000;

/** When a record was published, in minutes before the start of the suite, and by whom. */
interface Origin {
  readonly minutesAgo: number;
  readonly name?: string;
}

interface PostOrigin extends Origin {
  readonly replyTo?: string;
}

interface Entry {
  readonly at: string;
  readonly line: object;
}

/** The lines of an export: what `porchlight import` stores. */
export class RecordList {
  readonly #start: number;
  readonly #entries: Entry[] = [];
  readonly #moderations: object[] = [];
  readonly #roots = new Map<string, string>();

  /** @param start milliseconds since 1970 */
  constructor(start: number) {
    this.#start = start;
  }

  /** The time as an export has it. */
  timeOf(minutesAgo: number): string {
    return this.#stampOf(this.#start - minutesAgo * MINUTE_MS, 0);
  }

  /** @returns the id */
  post(message: string, { minutesAgo, name, replyTo }: PostOrigin): string {
    const { id, createdAt } = this.#place('post', minutesAgo);
    const rootId = replyTo === undefined ? id : this.#roots.get(replyTo)!;
    this.#roots.set(id, rootId);
    const author = name === undefined ? {} : { name };
    this.#add(createdAt, { post: { id, ...author, message, parentId: replyTo ?? null, rootId, createdAt } });
    return id;
  }

  /** @returns the id */
  guest(note: string, kind: string | null, { minutesAgo, name = 'Guest' }: Origin): string {
    const { id, createdAt } = this.#place('guest', minutesAgo);
    this.#add(createdAt, { guest: { id, name, kind, note, createdAt } });
    return id;
  }

  /** @returns the id */
  project(
    texts: { title: string; summary: string; url?: string; looking_for?: string },
    { minutesAgo, name = 'Founder' }: Origin,
  ): string {
    const { id, createdAt } = this.#place('project', minutesAgo);
    const { title, summary, url = null, looking_for = null } = texts;
    this.#add(createdAt, { project: { id, title, summary, by: name, url, looking_for, createdAt } });
    return id;
  }

  /** @returns the id */
  note(projectId: string, note: string, { minutesAgo, name = 'Member' }: Origin): string {
    const { id, createdAt } = this.#place('note', minutesAgo);
    this.#add(createdAt, { note: { id, projectId, name, note, createdAt } });
    return id;
  }

  /** Adds a record as an export has it. */
  record(kind: 'post' | 'guest' | 'project' | 'note', record: { id: string; createdAt: string }): void {
    this.#add(record.createdAt, { [kind]: record });
    if ('rootId' in record) this.#roots.set(record.id, String(record.rootId));
  }

  moderate(action: 'hide' | 'erase', id: string, reason: string): void {
    const at = this.#stampOf(this.#start - MINUTE_MS, this.#moderations.length);
    this.#moderations.push({ moderation: { action, id, at, reason } });
  }

  /** @returns the text of an export */
  export(): string {
    const records = this.#entries.toSorted((a, b) => (a.at < b.at ? -1 : 1)).map(({ line }) => line);
    const entries = [...records, ...this.#moderations];
    return [{ porchlight: 'export', format: 5 }, ...entries, { end: { entries: entries.length } }]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
  }

  #add(at: string, line: object): void {
    this.#entries.push({ at, line });
  }

  #place(kind: string, minutesAgo: number): { id: string; createdAt: string } {
    const time = this.#start - minutesAgo * MINUTE_MS;
    const number = this.#entries.length;
    const hex = Math.floor(time).toString(16).padStart(12, '0');
    const suffix = number.toString(16).padStart(12, '0');
    const id = `${kind}_${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${suffix}`;
    // The number of the record makes every timestamp unique.
    return { id, createdAt: this.#stampOf(time, number % 1000) };
  }

  #stampOf(time: number, microseconds: number): string {
    return new Date(time).toISOString().replace('Z', `${String(microseconds).padStart(3, '0')}Z`);
  }
}
