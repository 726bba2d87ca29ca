/** Adds rows of `workRowOf`. */
export const ADD_WORK = `with given as materialized (
    select * from json_to_recordset($1::json) as given(id text, prefix text, at text, hidden boolean, name bigint,
      "group" bigint, due float8, targets json)
  ), posts as (
    insert into work_post (id, prefix, created_at, hidden, name_key, group_key, due)
    select id, prefix, at, hidden, name, "group", due from given where prefix <> 'REVIEW'
  )
  insert into work_link (id, target, prefix, created_at, hidden, name_key, due)
  select id, target, prefix, at, hidden, name, due from given, json_array_elements_text(targets) as target`;

const isTaker = (prefix: string): string =>
  `link.target = post.id and link.prefix = '${prefix}' and not link.hidden`;
const IS_REPORT = `report.group_key = post.group_key and report.prefix = 'RESULT' and not report.hidden`;

// The same rules as those of src/store/work/work-rules.ts. What bears on a WORK is later than it.
const LISTED_DUE = `case
    when post.hidden then null
    when post.prefix = 'RESULT' then case when not exists (select from work_link as link where ${isTaker('REVIEW')}) then 0 end
    when exists (select from work_link as link
        where ${isTaker('RESULT')} and link.due is null and link.created_at > post.created_at)
      or exists (select from work_link as link
        where ${isTaker('WORK')} and link.name_key = post.name_key and link.created_at > post.created_at)
      or exists (select from work_post as report
        where ${IS_REPORT} and report.due is null and report.created_at > post.created_at)
      then null
    else coalesce((select due from (
        (select created_at, due from work_link as link
          where ${isTaker('RESULT')} and link.created_at > post.created_at order by created_at desc limit 1)
        union all
        (select created_at, due from work_post as report
          where ${IS_REPORT} and report.created_at > post.created_at order by created_at desc limit 1)
      ) as newest order by created_at desc limit 1), post.due)
  end`;

// Posts that were added, hidden or shown, and those that they take up or, as RESULTs, report on. A RESULT without a due
// line ends every earlier WORK of its thread and name, so no later one changes these.
const AFFECTED = ` touched as materialized (
    select id, prefix, created_at, group_key from work_post where id = any($1)
  ), affected as materialized (
    select id from touched
    union select target from work_link where id = any($1)
    union select work.id from touched as result, lateral (
      select id from work_post as work
        where work.group_key = result.group_key and work.prefix = 'WORK' and not work.hidden
          and work.created_at < result.created_at and work.created_at > coalesce((select max(created_at) from work_post as report
            where report.group_key = result.group_key and report.prefix = 'RESULT' and not report.hidden
              and report.due is null and report.created_at < result.created_at), '')
        offset 0
    ) as work where result.prefix = 'RESULT'
  )`;

/** Decides anew for posts that were added, hidden or shown, and for those that depend on them. */
export const REFRESH_WORK = `with ${AFFECTED}, state as materialized (
    select post.id, ${LISTED_DUE} as listed_due
      from affected, lateral (select * from work_post where work_post.id = affected.id limit 1) as post
      where post.prefix <> 'IDEA'
  ), changed as (
    update work_post set listed_due = state.listed_due from state
      where work_post.id = state.id and work_post.listed_due is distinct from state.listed_due
      returning work_post.id, work_post.prefix, work_post.listed_due
  )
  update work_link set listed_due = changed.listed_due from changed
    where work_link.id = changed.id and changed.prefix = 'WORK'`;

/** As `REFRESH_WORK`, of each IDEA, which depends on WORKs: so it comes after that. */
export const REFRESH_IDEAS = `with ${AFFECTED}, ideas as materialized (
    select id from affected union select target from affected, lateral (select target from work_link
      where work_link.id = affected.id offset 0) as link
  ), state as materialized (
    select post.id, case
        when post.hidden or exists (select from work_link as link where ${isTaker('RESULT')}) then null
        else coalesce((select greatest(listed_due, 0) from work_link
          where target = post.id and listed_due is not null order by listed_due desc limit 1), 0)
      end as listed_due
      from ideas, lateral (select * from work_post where work_post.id = ideas.id limit 1) as post
      where post.prefix = 'IDEA'
  )
  update work_post set listed_due = state.listed_due from state
    where work_post.id = state.id and work_post.listed_due is distinct from state.listed_due`;
