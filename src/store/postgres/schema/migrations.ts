import type pg from 'pg';
import { fillWork } from './fill-work.ts';

interface Migration {
  readonly name: string;
  readonly sql: string;
  /** Runs after `sql`, for what SQL cannot derive. */
  readonly fill?: (client: pg.Client) => Promise<void>;
  /** Whether a program that does not know the migration may go on using the database. */
  readonly keepsOlderPrograms?: true;
}

/** The migrations that make the schema, in order. A released migration never changes. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-first',
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
      answered integer not null default 0,
      -- As text, not jsonb, which would sort the keys and refuse some characters.
      body json not null
    ) with (fillfactor = 90);
    create index entry_shown on entry (kind, created_at) where not hidden;
    create index entry_below on entry (parent_id, created_at) where not hidden and parent_id is not null;
    create index entry_waiting on entry (prefix, created_at) where not hidden and answered = 0 and prefix in ('IDEA', 'RESULT');
    create index entry_history on entry (created_at, id);

    create table moderation (
      at text collate "C" primary key,
      action text not null,
      id text collate "C" not null,
      reason text not null
    );
    create index moderation_erased on moderation (id) where action = 'erase';

    create table visit (
      visitor text collate "C" not null,
      budget text collate "C" not null,
      at double precision not null,
      kind text collate "C" not null,
      id text collate "C" not null,
      key text collate "C",
      content text collate "C" not null
    );
    create index visit_window on visit (visitor, budget, at);
    create index visit_key on visit (visitor, kind, key, at) where key is not null;
    create index visit_content on visit (visitor, kind, content, at);
    -- For pruning alone: an index in order would be tempting to whoever looks for the latest of one visitor.
    create index visit_at on visit using brin (at);
  `,
  },
  {
    // The rows of visit held addresses. They are dropped with their file, because a deleted row stays in its page.
    name: '0002-write-history',
    sql: `
    drop table visit;
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

    -- For instances without VISITOR_SECRET: 32 bytes in base64.
    create table visitor_secret (
      single boolean primary key default true check (single),
      secret text not null
        default encode(decode(replace(gen_random_uuid()::text || gen_random_uuid(), '-', ''), 'hex'), 'base64')
    );
    insert into visitor_secret default values;
  `,
  },
  {
    // Imported moderations may share a timestamp; then the one that arrived last decides.
    name: '0003-moderation-arrival',
    keepsOlderPrograms: true,
    sql: `
    alter table moderation drop constraint moderation_pkey;
    alter table moderation add arrival bigint generated always as identity;
    alter table moderation add primary key (at, arrival);
    create index moderation_deciding on moderation (id, at) where action <> 'erase';
  `,
  },
  {
    // An import may bring an answer before the post that it names.
    name: '0004-answers',
    keepsOlderPrograms: true,
    sql: `
    create index entry_answering on entry using gin (((body -> 'answers')::jsonb))
      where not hidden and prefix in ('WORK', 'REVIEW');
  `,
  },
  {
    // Whole threads, and which post takes up which. The pattern and the limit are those of src/store/references.ts.
    name: '0005-threads',
    sql: `
    alter table entry add root_id text collate "C" generated always as (body ->> 'rootId') stored;
    create index entry_thread on entry (root_id, created_at) where not hidden and root_id is not null;
    create index entry_later_result on entry (parent_id, created_at)
      where not hidden and prefix = 'RESULT' and parent_id is not null;

    -- Visible replies of each thread. Its root may be hidden, erased or not there yet.
    create table thread (
      root_id text collate "C" primary key,
      replies integer not null
    ) with (fillfactor = 80);
    insert into thread select root_id, count(*) from entry
      where not hidden and root_id is not null and parent_id is not null group by root_id;

    -- The posts that the text of a post names, without the one that it replies to.
    create table mention (
      id text collate "C" not null,
      target text collate "C" not null,
      created_at text collate "C" not null,
      is_result boolean not null,
      hidden boolean not null,
      primary key (id, target)
    );
    insert into mention select entry.id, named.target, created_at, prefix is not distinct from 'RESULT', hidden
      from entry, lateral (
        select found.match[1] as target from regexp_matches(
          body ->> 'message', 'post_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') with ordinality as found(match, place)
        where found.match[1] <> entry.id and found.match[1] is distinct from parent_id
        group by 1 order by min(found.place) limit case when parent_id is null then 9 else 8 end
      ) as named
      where kind = 'post' and strpos(body ->> 'message', 'post_') > 0;
    create index mention_visible on mention (target, created_at) where not hidden;
    create index mention_result on mention (target, created_at) where not hidden and is_result;
    analyze entry, mention, thread;
  `,
  },
  {
    // No row changes, but both indexes read every post under an exclusive lock of the table, since all migrations run in
    // one transaction: instances that are running wait meanwhile, 0.6 s with 300,000 posts.
    // The column is filled afterwards, in short transactions: see word-backfill.ts.
    name: '0006-words',
    keepsOlderPrograms: true,
    sql: `
    -- Hashes of the words of a post, null for other kinds and until it is filled. Never the words: GIN removes no key, so
    -- a word of an erased text would stay in the index.
    alter table entry add words bigint[];
    create index entry_words on entry using gin (words) where not hidden and kind = 'post' and words is not null;
    create index entry_wordless on entry (created_at) where kind = 'post' and words is null;
  `,
  },
  {
    // The lists of work, kept up by writes: see work-statements.ts.
    name: '0007-work',
    sql: `
    -- IDEA, WORK and RESULT. Due times are milliseconds since 1970; of a RESULT, that of its due line.
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
  `,
    fill: fillWork,
  },
  {
    // The lists of work replace the column. No row changes; the index entry_waiting goes with the column, on which its
    // predicate depends.
    name: '0008-no-answered',
    sql: `
    drop index entry_answering;
    alter table entry drop column answered;
  `,
  },
  {
    // ANALYZE copies values into pg_statistic, where they outlive the rows: ANALYZE of an empty table removes none.
    // Setting the type that a column already has removes its statistics, and does not rewrite the table.
    name: '0009-no-visitor-statistics',
    keepsOlderPrograms: true,
    sql: `
    alter table write_history
      alter client type text collate "C", alter client set statistics 0,
      alter limit_scope type text collate "C", alter limit_scope set statistics 0,
      alter at type double precision, alter at set statistics 0,
      alter id type text collate "C", alter id set statistics 0,
      alter key type text collate "C", alter key set statistics 0,
      alter content type text collate "C", alter content set statistics 0;
  `,
  },
];
