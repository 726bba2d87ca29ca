/** Of rows of `entry`. They have the names of `RecordView`, so that a row is one. */
export const VIEW_COLUMNS = `body as record, children, coalesce(prefix, '') = 'RESULT' and (
    exists (select from entry as later where later.parent_id = entry.id and later.parent_id is not null
      and later.prefix = 'RESULT' and not later.hidden and later.created_at > entry.created_at)
    or exists (select from mention where target = entry.id and is_result and not mention.hidden
      and mention.created_at > entry.created_at)
  ) as "hasLaterResult"`;
