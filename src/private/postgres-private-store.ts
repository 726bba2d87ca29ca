import type pg from 'pg';
import { openPool, TIMEOUTS } from '#store/postgres/connection/connect.ts';
import { DAY_MS, toDay } from '#store/engine/timestamp.ts';
import { toFailure } from '#store/postgres/connection/errors.ts';
import { toBits, widenNetwork } from '#store/port/network.ts';
import { ClientTags, readSecrets, type SecretOptions } from '#store/postgres/schema/client-tags.ts';
import {
  DenialData,
  Entry,
  ServerState,
  type Denial,
  type EntryBatch,
  explainBy,
  oldestDay,
  parseMirrorPosition,
  type MirrorPosition,
  type Position,
  type PrivateStore,
} from './private-store.ts';

/** Few enough for a short statement, and for a short turn of the event loop that parses the rows. */
const READ_BATCH = 2_000;

// Under the lock rows become visible in the order of their numbers, so that a reader misses none.
const APPEND = `insert into private_entry (day, body) select $1, $2
  from (select pg_advisory_xact_lock(hashtextextended('private ' || current_schema(), 0))) as locked`;

const NO_DENIALS = '0 0';

const explained = explainBy(toFailure);

interface PostgresPrivateStoreOptions extends SecretOptions {
  /** The URL of the store's database, in which the store has created the tables. */
  readonly url: string;
  readonly schema?: string;
  /** Wall-clock time in milliseconds since 1970. */
  readonly clock: { now: () => number };
  readonly report: (message: string) => void;
}

/** The private tables of a store in a database. It connects at the first call. */
export class PostgresPrivateStore implements PrivateStore {
  readonly #pool: pg.Pool;
  readonly #clock: PostgresPrivateStoreOptions['clock'];
  readonly #secrets: SecretOptions;
  #tags: ClientTags | undefined;
  #denials: readonly Denial[] = [];
  #denialsVersion = NO_DENIALS;

  constructor({ url, schema = 'porchlight', clock, report, ...secrets }: PostgresPrivateStoreOptions) {
    this.#pool = openPool({ url, schema, timeouts: TIMEOUTS }, report);
    this.#clock = clock;
    this.#secrets = secrets;
  }

  async append(entry: Entry): Promise<void> {
    await this.#query(APPEND, [toDay(this.#clock.now()), JSON.stringify(entry)]);
  }

  async *read(from: Position = {}): AsyncIterable<EntryBatch> {
    let n = from['n'] ?? 0;
    for (let count = READ_BATCH; count >= READ_BATCH; ) {
      const rows = await this.#query<{ n: number; body: unknown }>(
        `select n::float8, body from private_entry where n > $1 order by n limit ${READ_BATCH}`,
        [n],
      );
      count = rows.length;
      n = rows.at(-1)?.n ?? n;
      yield { entries: rows.flatMap(({ body }) => Entry.safeParse(body).data ?? []), position: { n } };
    }
  }

  reportTag(id: string, network: string): Promise<string> {
    return explained(async () => {
      const now = this.#clock.now();
      const tags = await this.#readTags();
      await tags.prepare(this.#pool, now);
      return tags.ofDay(now).tag('report', id, network);
    });
  }

  async denials(): Promise<readonly Denial[]> {
    // Rows never change, and no number is used twice.
    const [{ version } = { version: NO_DENIALS }] = await this.#query<{ version: string }>(
      "select concat(count(*), ' ', coalesce(sum(n), 0)) as version from private_denial",
    );
    // Denials are compared with clients by these tags.
    if (version !== NO_DENIALS) await explained(async () => (await this.#readTags()).load(this.#clock.now()));
    if (version === this.#denialsVersion) return this.#denials;
    const rows = await this.#query<{ n: number; body: unknown }>(
      'select n, body from private_denial order by n',
    );
    this.#denials = rows.flatMap(({ n, body }) => {
      const { data } = DenialData.safeParse(body);
      const { range } = data ?? {};
      const denied = range === undefined ? data?.behind?.sealed : toBits(range);
      return data === undefined ? [] : { ...data, n, denied };
    });
    this.#denialsVersion = version;
    return this.#denials;
  }

  tagsOf(clientKey: string): string[] {
    const days = this.#tags?.ofWindow(this.#clock.now(), DAY_MS) ?? [];
    return days.flatMap((day) => [day.tag('client', clientKey), day.tag('network', widenNetwork(clientKey))]);
  }

  async addDenial(denial: DenialData): Promise<number> {
    const [row] = await this.#query<{ n: number }>(
      'insert into private_denial (body) values ($1) returning n',
      [JSON.stringify(denial)],
    );
    return row?.n ?? 0;
  }

  async removeDenial(n: number): Promise<boolean> {
    return (await this.#query('delete from private_denial where n = $1 returning n', [n])).length === 1;
  }

  async readMirrorPosition(): Promise<MirrorPosition | undefined> {
    const [row] = await this.#query<{ position: unknown }>('select position from mirror');
    return row && parseMirrorPosition(JSON.stringify(row.position), 'The row of the table mirror');
  }

  async writeMirrorPosition(position: MirrorPosition): Promise<void> {
    await this.#query(
      `insert into mirror (position) values ($1)
        on conflict (single) do update set position = excluded.position`,
      [JSON.stringify(position)],
    );
  }

  async prune(): Promise<void> {
    const now = this.#clock.now();
    await this.#tags?.destroyExpired(now);
    await this.#query("delete from private_denial where (body ->> 'until')::float8 <= $1", [now]);
    await this.#query('delete from private_entry where day < $1', [oldestDay(now)]);
    await this.#query('delete from private_server where at < $1', [now - DAY_MS]);
  }

  async putServer(state: ServerState): Promise<void> {
    await this.#query(
      `insert into private_server (id, at, body) values ($1, $2, $3)
        on conflict (id) do update set at = excluded.at, body = excluded.body`,
      [state.id, state.at, JSON.stringify(state)],
    );
  }

  async removeServer(id: string): Promise<void> {
    await this.#query('delete from private_server where id = $1', [id]);
  }

  async servers(): Promise<ServerState[]> {
    const rows = await this.#query<{ body: unknown }>('select body from private_server order by id');
    return rows.flatMap(({ body }) => ServerState.safeParse(body).data ?? []);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #readTags(): Promise<ClientTags> {
    return (this.#tags ??= new ClientTags(await readSecrets(this.#secrets, this.#pool)));
  }

  #query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return explained(async () => (await this.#pool.query<Row>(text, values)).rows);
  }
}
