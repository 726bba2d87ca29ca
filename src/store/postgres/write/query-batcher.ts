import { RETENTION_MS, MAX_CLOCK_SKEW_MS, type ClientAndKind } from '#store/engine/write-history.ts';
import type { AnyRecord } from '#store/records.ts';
import type { LimitScope, RecordView } from '#store/store.ts';
import { canBeKept } from './storable-text.ts';
import type { Transaction } from '#store/postgres/connection/transaction.ts';

interface Seen {
  readonly why: 'key' | 'content' | 'recent';
  readonly at: number;
  readonly id: string;
  readonly content: string;
}

/** What one visitor did lately, as far as the next write may want to know. */
interface Background extends ClientAndKind {
  readonly budget: LimitScope;
  readonly key: string | null;
  readonly content: string;
}

/** More than any limit that is usual, so that one question answers for all windows. */
export const RECENT = 50;

const FIND = 'select body, children, hidden from entry where id = $1';

const NOW = 'coalesce($2::float8, extract(epoch from clock_timestamp())::float8 * 1000)';

const BY = 'visitor = asked.visitor collate "C"';

// One statement for all works that wait: each one more costs a write as much as all the rest of it.
const BACKGROUND = `select asked.n, seen.* from json_to_recordset($1::json)
  as asked(n integer, visitor text, kind text, key text, content text, budget text), lateral (
    (select 'key' as why, at, id, content from visit
      where ${BY} and kind = asked.kind collate "C" and key = asked.key collate "C" order by at desc limit 1)
    union all
    (select 'content', at, id, content from visit
      where ${BY} and kind = asked.kind collate "C" and content = asked.content collate "C" order by at desc limit 1)
    union all
    (select 'recent', at, '', '' from visit where ${BY} and budget = asked.budget collate "C"
      and at < ${NOW} + ${MAX_CLOCK_SKEW_MS} and at > ${NOW} - ${RETENTION_MS} order by at desc limit ${RECENT})
  ) as seen`;

const withValue = (column: 'key' | 'content'): string =>
  `select id, at, content from visit where visitor = $1 and kind = $2 and ${column} = $3 order by at desc limit 1`;

/** The questions of one transaction, each asked once, and as soon as it is known that it will be asked. */
export class Questions {
  readonly #transaction: Transaction;
  readonly #now: number | undefined;
  readonly #asked = new Map<string, Promise<unknown[]>>();
  readonly #backgrounds = new Map<string, Promise<Seen[]>>();
  /** What is to be asked together once all works have begun. */
  #waiting: Background[] = [];
  #together: Promise<Map<number, Seen[]>> | undefined;

  /** @param now wall-clock time, where it is not the database's that counts */
  constructor(transaction: Transaction, now: number | undefined) {
    this.#transaction = transaction;
    this.#now = now;
  }

  /** Asks everything at once that a publication is decided on. */
  foresee({ visitor, kind, budget, key, content }: Background): void {
    const n = this.#waiting.push({ visitor, kind, budget, key, content }) - 1;
    const seen = (this.#together ??= Promise.resolve().then(() => this.#askTogether())).then(
      (all) => all.get(n) ?? [],
    );
    const answer = (why: Seen['why'], name: string): void => {
      const some = seen.then((rows) => rows.filter((row) => row.why === why));
      // What fails here fails again for who asks for it, which nobody may.
      some.catch(() => undefined);
      this.#backgrounds.set(`${why} ${name}`, some);
    };
    if (key !== null) answer('key', `${kind} ${key} ${visitor}`);
    answer('content', `${kind} ${content} ${visitor}`);
    answer('recent', `${budget} ${visitor}`);
  }

  async #askTogether(): Promise<Map<number, Seen[]>> {
    const asked = this.#waiting.map((one, n) => ({ n, ...one }));
    const seen = new Map(asked.map(({ n }): [number, Seen[]] => [n, []]));
    [this.#waiting, this.#together] = [[], undefined];
    const rows = await this.#transaction.ask<Seen & { n: number }>(
      BACKGROUND,
      [JSON.stringify(asked), this.#now ?? null],
      'background',
    );
    for (const row of rows) seen.get(row.n)?.push(row);
    return seen;
  }

  async find(id: string): Promise<(RecordView & { hidden: boolean }) | undefined> {
    if (!canBeKept(id)) return undefined;
    const found = await this.first<{ body: AnyRecord; children: number; hidden: boolean }>('find', FIND, [
      id,
    ]);
    return found && { record: found.body, children: found.children, hidden: found.hidden };
  }

  /** @returns when the visitor wrote lately, the latest first, where that was foreseen. */
  recent(visitor: string, budget: LimitScope): Promise<{ at: number }[]> | undefined {
    return this.#backgrounds.get(`recent ${budget} ${visitor}`);
  }

  async seen(
    column: 'key' | 'content',
    { visitor, kind }: ClientAndKind,
    value: string,
  ): Promise<Omit<Seen, 'why'> | undefined> {
    const foreseen = this.#backgrounds.get(`${column} ${kind} ${value} ${visitor}`);
    if (foreseen !== undefined) return (await foreseen)[0];
    return this.first(`with-${column}`, withValue(column), [visitor, kind, value]);
  }

  async first<Row>(name: string, text: string, values: unknown[]): Promise<Row | undefined> {
    return (await this.ask<Row>(name, text, values))[0];
  }

  ask<Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    const key = JSON.stringify([name, ...values]);
    let answer = this.#asked.get(key);
    if (answer === undefined) this.#asked.set(key, (answer = this.#transaction.ask(text, values, name)));
    return answer as Promise<Row[]>;
  }
}
