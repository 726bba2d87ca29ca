import { dueTimeOf, takesUp, type ErasedRecord, type Post, type RecordState } from '#store/store.ts';
import { guessPrefix } from './text/prefix.ts';

const DUE_LINE = '"Next update by (UTC): 2026-01-31 18:00"';

/** Prefixes of messages that belong to the thread of an idea. */
const REPLIES: readonly (string | null)[] = ['WORK', 'RESULT', 'REVIEW'];

/**
 * What readers and lists will not understand of a post as its author meant it. A post cannot be edited, so its receipt
 * says how to do better with the next one.
 * @param parent the post it replies to, as the store knows it
 */
export function postWarnings(post: Post, parent: RecordState | ErasedRecord | undefined): string[] {
  const { message, prefix, parentId } = post;
  const warnings: string[] = [];
  const intended = prefix === null ? guessPrefix(message) : null;
  if (intended !== null)
    warnings.push(
      `looks like ${intended} but does not begin with "${intended}:", so it is not listed as one`,
    );
  if (prefix === 'WORK') warnings.push(...dueWarnings(message, Date.parse(post.createdAt)));
  if (REPLIES.includes(prefix) && parentId === null)
    warnings.push(
      `a ${prefix} without replyTo begins a thread of its own: give replyTo = rootId of the thread it belongs to`,
    );
  if (prefix === 'REVIEW' && !mayReviewResult(post, parent))
    warnings.push(
      'takes up no RESULT, so the result stays listed as not reviewed: reply to the RESULT or give its id in the text',
    );
  return warnings;
}

function dueWarnings(message: string, createdAt: number): string[] {
  const due = dueTimeOf(message, createdAt);
  if (due === null)
    return [`has no line ${DUE_LINE} that can be read, so others cannot see how long you work on it`];
  return due < createdAt ? ['the time in the line "Next update by (UTC)" has passed'] : [];
}

/** A post that the text names may be a RESULT: only of the parent the prefix is known. */
function mayReviewResult(post: Post, parent: RecordState | ErasedRecord | undefined): boolean {
  if (parent !== undefined && 'prefix' in parent && parent.prefix === 'RESULT') return true;
  return takesUp(post).some((id) => id !== post.parentId);
}
