interface Migration {
  readonly name: string;
  readonly sql: string;
  /** Whether a program that does not know the migration may go on using the database. */
  readonly keepsOlderPrograms?: true;
}

/**
 * The migrations that make the schema, in order. A released migration never changes. Until there is a release, this one is
 * edited in place and gets another name, by which databases of an earlier state are refused.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-schema',
    sql: `
    create table clock (
      single boolean primary key default true check (single),
      -- Stamps are text, for no driver and no time zone to touch their microseconds.
      last text collate "C",
      revision bigint not null default 0,
      frozen boolean not null default false,
      turned text collate "C",
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
      -- Hashes of the words of a post, null for other kinds. Never the words: GIN removes no key, so a word of an erased
      -- text would stay in the index.
      words bigint[]
    ) with (fillfactor = 90);
    create index entry_shown on entry (kind, created_at) where not hidden;
    create index entry_below on entry (parent_id, created_at) where not hidden and parent_id is not null;
    create index entry_history on entry (created_at, id);
    create index entry_thread on entry (root_id, created_at) where not hidden and root_id is not null;
    create index entry_later_result on entry (parent_id, created_at)
      where not hidden and prefix = 'RESULT' and parent_id is not null;
    create index entry_words on entry using gin (words) where not hidden and kind = 'post';

    -- Visible replies of each thread. Its root may be hidden, erased or not there yet.
    create table thread (
      root_id text collate "C" primary key,
      replies integer not null
    ) with (fillfactor = 80);

    -- The posts that the text of a post names, without the one that it replies to.
    create table mention (
      id text collate "C" not null,
      target text collate "C" not null,
      created_at text collate "C" not null,
      is_result boolean not null,
      hidden boolean not null,
      primary key (id, target)
    );
    create index mention_visible on mention (target, created_at) where not hidden;
    create index mention_result on mention (target, created_at) where not hidden and is_result;

    create table moderation (
      at text collate "C" not null,
      action text not null,
      id text collate "C" not null,
      reason text not null,
      -- Imported moderations may share a timestamp; then the one that arrived last decides.
      arrival bigint generated always as identity,
      primary key (at, arrival)
    );
    create index moderation_erased on moderation (id) where action = 'erase';
    create index moderation_deciding on moderation (id, at) where action <> 'erase';

    -- The lists of work, kept up by writes: see work-statements.ts. IDEA, WORK and RESULT. Due times are milliseconds since
    -- 1970; of a RESULT, that of its due line.
    create table work_post (
      id text collate "C" primary key,
      prefix text collate "C" not null,
      created_at text collate "C" not null,
      hidden boolean not null,
      -- Hashes of the name, and of thread and name.
      name_key bigint,
      group_key bigint,
      due double precision,
      -- Null unless the clock alone decides whether the post is on a list: of a WORK the due time in force, of an IDEA
      -- the last one of the WORKs that take it up, or 0.
      listed_due double precision
    ) with (fillfactor = 80);
    create index work_post_listed on work_post (prefix, created_at) where listed_due is not null;
    create index work_post_due on work_post (prefix, listed_due) where listed_due is not null;
    create index work_post_group on work_post (group_key, prefix, created_at) where not hidden and group_key is not null;

    -- What WORK, RESULT and REVIEW take up.
    create table work_link (
      id text collate "C" not null,
      target text collate "C" not null,
      prefix text collate "C" not null,
      created_at text collate "C" not null,
      hidden boolean not null,
      name_key bigint,
      due double precision,
      -- That of the WORK.
      listed_due double precision,
      primary key (id, target)
    ) with (fillfactor = 80);
    create index work_link_taker on work_link (target, prefix, created_at) where not hidden;
    create index work_link_name on work_link (target, name_key, created_at)
      where not hidden and prefix = 'WORK' and name_key is not null;
    create index work_link_under_way on work_link (target, listed_due) where listed_due is not null;

    -- Who wrote what in the last 24 hours. client, key and content are tags under the key of the day of "at".
    create table write_history (
      client text collate "C" not null,
      limit_scope text collate "C" not null,
      -- Milliseconds since 1970.
      at double precision not null,
      id text collate "C" not null,
      key text collate "C",
      content text collate "C" not null
    );
    create index write_history_window on write_history (client, limit_scope, at);
    create index write_history_key on write_history (key, at) where key is not null;
    create index write_history_content on write_history (content, at);
    -- For pruning alone: the planner would take an ordered index to find the latest write of a client.
    create index write_history_at on write_history using brin (at);
    -- ANALYZE copies values into pg_statistic, where they outlive the rows: ANALYZE of an empty table removes none.
    alter table write_history alter client set statistics 0, alter limit_scope set statistics 0,
      alter at set statistics 0, alter id set statistics 0, alter key set statistics 0, alter content set statistics 0;

    -- For instances without VISITOR_SECRET: 32 bytes in base64.
    create table visitor_secret (
      single boolean primary key default true check (single),
      secret text not null
        default encode(decode(replace(gen_random_uuid()::text || gen_random_uuid(), '-', ''), 'hex'), 'base64')
    );
    insert into visitor_secret default values;
  `,
  },
];
