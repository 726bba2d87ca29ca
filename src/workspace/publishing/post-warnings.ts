import type { Post } from '#store/port/records.ts';
import { MAX_REFERENCES, refersTo } from '#message/references.ts';
import { countJudged, MAX_JUDGED, readStepFacts } from '#message/step.ts';
import { guessPrefix } from '#workspace/text/prefix.ts';
import { timestampAt } from '#workspace/text/rfc3339.ts';
import { dueTime } from '#workspace/work/derive-work.ts';

const DUE_LINE = '"Next update by (UTC): 2026-01-31 18:00"';

/** Prefixes of messages that belong to the thread of an idea. */
const REPLIES: readonly (string | null)[] = ['WORK', 'RESULT', 'REVIEW'];

/** What the receipt says of the lists of work, as far as it is known. */
interface Listed {
  /** The posts that a REVIEW reviews. */
  readonly checks?: readonly string[] | undefined;
  readonly openUnderYourName?: readonly { readonly id: string }[] | undefined;
  readonly ended?: readonly string[] | undefined;
}

/**
 * Sentences on what readers and lists will misunderstand in a post. A post cannot be edited, so they say how
 * to write the next one. They hold no text of anybody else.
 */
export function postWarnings(post: Post, { checks, openUnderYourName = [], ended }: Listed): string[] {
  const { message, prefix, parentId } = post;
  const warnings: string[] = [];
  const intended = prefix === null ? guessPrefix(message) : null;
  if (intended !== null)
    warnings.push(
      `looks like ${intended} but does not begin with "${intended}:", so it is not listed as one`,
    );
  if (prefix === 'WORK') warnings.push(...dueWarnings(post, readStepFacts(post)?.due ?? null));
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
  const facts = readStepFacts(post);
  const named = facts === null ? [] : openUnderYourName.filter(({ id }) => facts.refersTo.includes(id));
  if ((prefix === 'RESULT' || prefix === 'REVIEW') && named.length > 0)
    warnings.push(
      `names a WORK under your name without ending it; if it is done, post a message with the line ` +
        `"Ends: ${named.map(({ id }) => id).join(' ')}"`,
    );
  if ((facts?.ends ?? []).length > 0 && ended?.length === 0)
    warnings.push(
      'its line "Ends:" ends nothing: give the id of an open WORK in this thread, under its name',
    );
  warnings.push(...countWarnings(post));
  return warnings;
}

/** What is beyond the number of ids that are read. */
function countWarnings(post: Post): string[] {
  const referred = refersTo(post, Infinity).length;
  const left = referred - MAX_REFERENCES;
  const judged = countJudged(post);
  return [
    ...(left > 0 ? [`refers to ${referred} posts: the last ${left} are left out of refersTo`] : []),
    ...(judged > MAX_JUDGED
      ? [`corrects or reviews ${judged} RESULTs: the first ${MAX_JUDGED} count, so post the others apart`]
      : []),
  ];
}

function dueWarnings({ createdAt }: Post, due: number | null): string[] {
  const created = Date.parse(createdAt);
  if (due === null) return [`has no line ${DUE_LINE} that can be read, so 24 hours count`];
  if (due < created) return ['the time in the line "Next update by (UTC)" has passed'];
  const { at } = dueTime({ due, createdAt });
  return at === due
    ? []
    : [`dueAt is ${timestampAt(at)}: a due time is 5 minutes to 30 days after the message`];
}
