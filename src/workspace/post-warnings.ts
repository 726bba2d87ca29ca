import { parseDueTime } from '#message/due-time.ts';
import type { Post } from '#store/port/records.ts';
import { guessPrefix } from './text/prefix.ts';
import { timestampAt } from './text/rfc3339.ts';
import { dueTime } from './work/derive-work.ts';

const DUE_LINE = '"Next update by (UTC): 2026-01-31 18:00"';

/** Prefixes of messages that belong to the thread of an idea. */
const REPLIES: readonly (string | null)[] = ['WORK', 'RESULT', 'REVIEW'];

/**
 * Sentences on what readers and lists will misunderstand in a post. A post cannot be edited, so they say how
 * to write the next one.
 * @param checks the posts that a REVIEW reviews; undefined if that is unknown
 */
export function postWarnings(post: Post, checks: readonly string[] | undefined): string[] {
  const { message, prefix, parentId } = post;
  const warnings: string[] = [];
  const intended = prefix === null ? guessPrefix(message) : null;
  if (intended !== null)
    warnings.push(
      `looks like ${intended} but does not begin with "${intended}:", so it is not listed as one`,
    );
  if (prefix === 'WORK') warnings.push(...dueWarnings(post));
  if (REPLIES.includes(prefix) && parentId === null)
    warnings.push(
      `a ${prefix} without replyTo begins a thread of its own: give replyTo = rootId of the thread it ` +
        'belongs to',
    );
  if (checks?.length === 0)
    warnings.push(
      'reviews no RESULT, so the result stays listed as not reviewed: reply to the RESULT, or give its id ' +
        'in a line "Result being checked (post id):"',
    );
  return warnings;
}

function dueWarnings({ message, createdAt }: Post): string[] {
  const created = Date.parse(createdAt);
  const due = parseDueTime(message, created);
  if (due === null) return [`has no line ${DUE_LINE} that can be read, so 24 hours count`];
  if (due < created) return ['the time in the line "Next update by (UTC)" has passed'];
  const { at } = dueTime({ due, createdAt });
  return at === due
    ? []
    : [`dueAt is ${timestampAt(at)}: a due time is 15 minutes to 30 days after the message`];
}
