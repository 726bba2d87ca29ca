import pg from 'pg';
import { StoreFailure } from '#store/port/store.ts';
import { type DatabaseOptions, withClient } from '#store/postgres/connection/connect.ts';

interface Migration {
  readonly name: string;
  readonly sql: string;
}

/**
 * A released migration never changes. Until the first release this one is edited in place and renamed, so
 * that databases of an earlier state are refused.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-log-private-mirror-servers-networks-marks-freezes-numbers-beginnings-ideas-openers-labels-signers-trust-copies-folded',
    sql: `
    create table clock (
      single boolean primary key default true check (single),
      -- Stamps are text, for no driver and no time zone to touch their microseconds.
      last text collate "C",
      revision bigint not null default 0,
      -- Counts changes other than records later than all before them.
      rearranged bigint not null default 0,
      -- The number of the last operation. Records and moderations have theirs as "arrival".
      arrived bigint not null default 0,
      frozen boolean not null default false,
      freeze_changed_at text collate "C",
      totals json not null default '{"posts":0,"threads":0,"byPrefix":{},"guests":0,"projects":0}'
    -- One row that every write renews: room on its page keeps it there.
    ) with (fillfactor = 10);
    insert into clock default values;

    create table entry (
      id text collate "C" primary key,
      kind text collate "C" not null,
      created_at text collate "C" not null,
      parent_id text collate "C",
      prefix text collate "C",
      hidden boolean not null default false,
      children integer not null default 0,
      -- As text, not jsonb, which would sort the keys and refuse some characters.
      body json not null,
      root_id text collate "C" generated always as (body ->> 'rootId') stored,
      -- Hashes of the words and their beginnings (words.ts) and of the name of a post, null for other kinds.
      -- Never the words: GIN removes no key, so a word of an erased text would stay in the index.
      words bigint[],
      -- What the lists of work take from a post of theirs; null for every other record.
      step json,
      arrival bigint not null
    ) with (fillfactor = 90);
    create index entry_shown on entry (kind, created_at) where not hidden;
    create index entry_below on entry (parent_id, created_at) where not hidden and parent_id is not null;
    create index entry_history on entry (created_at, id);
    create index entry_thread on entry (root_id, created_at) where not hidden and root_id is not null;
    create index entry_thread_hidden on entry (root_id, created_at) where hidden and root_id is not null;
    create index entry_step on entry (created_at) where step is not null;
    create index entry_arrival on entry (arrival) where not hidden;
    create index entry_words on entry using gin (words) where not hidden and kind = 'post';

    -- Visible replies of each thread, and when its last visible post was published. Its root may be hidden,
    -- erased or missing.
    create table thread (
      root_id text collate "C" primary key,
      replies integer not null,
      last_at text collate "C"
    ) with (fillfactor = 80);
    create index thread_last on thread (last_at) where last_at is not null;

    -- The posts that the text of a post names, without the one that it replies to.
    create table mention (
      id text collate "C" not null,
      target text collate "C" not null,
      created_at text collate "C" not null,
      hidden boolean not null,
      primary key (id, target)
    );
    create index mention_visible on mention (target, created_at) where not hidden;

    create table moderation (
      at text collate "C" not null,
      action text not null,
      id text collate "C" not null,
      reason text not null,
      -- Imported moderations may share a timestamp; then the one that arrived last decides.
      arrival bigint not null,
      -- Of an erase: the arrival of the record that it deleted and, of a post that began a thread, its mark.
      erased_arrival bigint,
      mark text collate "C",
      primary key (at, arrival)
    );
    create index moderation_arrival on moderation (arrival);
    create index moderation_erased on moderation (id) where action = 'erase';
    create index moderation_deciding on moderation (id, at) where action <> 'erase';

    -- Who wrote what in the last 24 hours. client, network (the /24 or /48 of the client), key and content
    -- are tags under the key of the day of "at".
    create table write_history (
      client text collate "C" not null,
      network text collate "C" not null,
      limit_scope text collate "C" not null,
      -- Milliseconds since 1970.
      at double precision not null,
      id text collate "C" not null,
      key text collate "C",
      content text collate "C" not null
    );
    create index write_history_window on write_history (client, limit_scope, at);
    create index write_history_network on write_history (network, at);
    create index write_history_key on write_history (key, at) where key is not null;
    create index write_history_content on write_history (content, at);
    -- For pruning alone: the planner would take an ordered index to find the latest write of a client.
    create index write_history_at on write_history using brin (at);
    -- ANALYZE copies values into pg_statistic, where they outlive the rows: ANALYZE of an empty table removes
    -- none.
    alter table write_history alter client set statistics 0, alter network set statistics 0,
      alter limit_scope set statistics 0, alter at set statistics 0, alter id set statistics 0,
      alter key set statistics 0, alter content set statistics 0;

    -- For instances without VISITOR_SECRET: 32 bytes in base64.
    create table visitor_secret (
      single boolean primary key default true check (single),
      secret text not null
        default encode(
          decode(replace(gen_random_uuid()::text || gen_random_uuid(), '-', ''), 'hex'), 'base64')
    );
    insert into visitor_secret default values;

    -- SHA-256 of the secret of a day in VISITOR_SECRET_DIR: servers notice by it that theirs differ.
    create table secret_fingerprint (
      day text primary key,
      fingerprint text not null
    );

    -- Reports, and what servers have told the operator: src/private/private-store.ts.
    create table private_entry (
      n bigint generated always as identity primary key,
      day text collate "C" not null,
      body json not null
    );
    create index private_entry_day on private_entry (day);
    alter table private_entry alter body set statistics 0;
    -- The numbers of each server, which it renews every five seconds.
    create table private_server (
      id text primary key,
      at float8 not null,
      body json not null
    ) with (fillfactor = 10);

    -- Networks whose writes are refused.
    create table private_denial (
      n integer generated always as identity primary key,
      body json not null
    );
    alter table private_denial alter body set statistics 0;
    -- How far a mirror has followed its origin: src/private/private-store.ts.
    create table mirror (
      single boolean primary key default true check (single),
      position json not null
    );
  `,
  },
];

const MIGRATION_LOCK_TIMEOUT_MS = 60_000;

/**
 * Runs the missing migrations in one transaction. Other instances wait by an advisory lock.
 * @throws StoreFailure without a store that must exist, or with another encoding or schema; errors of the
 *   driver
 */
export async function migrate(database: DatabaseOptions, mustExist: boolean): Promise<void> {
  const { schema } = database;
  await withClient(database, async (client) => {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`);
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`porchlight ${schema}`]);
    const { rowCount } = await client.query(
      "select from pg_tables where schemaname = $1 and tablename = 'migration'",
      [schema],
    );
    if (mustExist && rowCount === 0) throw new StoreFailure('nothing', 'the database holds no store');
    if (rowCount === 0) await createMigrationTable(client, schema);
    await client.query("select set_config('search_path', $1, true)", [pg.escapeIdentifier(schema)]);
    const applied = await readMigrations(client);
    for (const { name, sql } of MIGRATIONS) {
      if (applied.has(name)) continue;
      await client.query(sql);
      await client.query('insert into migration (name) values ($1)', [name]);
    }
    await client.query('commit');
  });
}

async function createMigrationTable(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding');
  if (rows[0]?.server_encoding !== 'UTF8')
    throw new StoreFailure('nothing', 'the database does not use UTF8, so it could not store every text');
  const name = pg.escapeIdentifier(schema);
  // An operator with more rights may have created the schema.
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`create schema ${name}`);
  // A program that does not know a compatible migration may go on using the database.
  await client.query(`create table ${name}.migration (name text primary key,
    at timestamptz not null default now(), compatible boolean not null default false)`);
}

/** @throws StoreFailure if another version has changed the schema in a way that this one does not know */
async function readMigrations(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string; isCompatible: boolean }>(
    // The table of an early version has no such column.
    `select name, to_jsonb(migration) ->> 'compatible' is not distinct from 'true' as "isCompatible"
      from migration order by name`,
  );
  const ours = new Set(MIGRATIONS.map(({ name }) => name));
  const unknown = rows.find(({ name, isCompatible }) => !isCompatible && !ours.has(name));
  if (unknown !== undefined)
    throw new StoreFailure(
      'nothing',
      'another version of this program made the schema of the database ' +
        `(${unknown.name}); run that version, or export the store with it and import the file here`,
    );
  return new Set(rows.map(({ name }) => name));
}
