import { readStepFacts } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import type * as z from 'zod';
import type { WorkUnderWay } from '#workspace/schemas/post.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { isClaimed, isSameWriter, type Author } from './authors.ts';
import type { Derivation } from './derive-work.ts';
import { isOverdue, isUnderWay, type ActiveWork } from './work-model.ts';
import { signatureOf } from './reviews.ts';

/** WORKs of one post. */
const MAX_UNDER_WAY = 5;
/** WORKs of one receipt. */
const MAX_OTHERS = 10;

type UnderWay = z.infer<typeof WorkUnderWay>;

export function toUnderWay(work: Derivation, { step, due, parts }: ActiveWork): UnderWay {
  return {
    id: step.id,
    name: step.name,
    ...signatureOf(work, step),
    dueAt: timestampAt(due.at),
    ...(parts.length > 0 && { parts: parts.flatMap(({ idea, index }) => idea.parts[index]?.name ?? []) }),
  };
}

/** @returns the WORKs under way that take a post, newest first. @param now milliseconds since 1970 */
export function worksUnderWayOn(work: Derivation, id: string, now: number): UnderWay[] {
  return newestOn(work, id, (one) => isUnderWay(one, now));
}

/** @returns the overdue WORKs that take a post, newest first. @param now milliseconds since 1970 */
export function worksOverdueOn(work: Derivation, id: string, now: number): UnderWay[] {
  return newestOn(work, id, (one) => isOverdue(one, now));
}

function newestOn(work: Derivation, id: string, isWanted: (one: ActiveWork) => boolean): UnderWay[] {
  return newestOf(work.worksOn.get(id) ?? [], isWanted, MAX_UNDER_WAY).map((one) => toUnderWay(work, one));
}

/** @param works oldest first, up to 20,000 @returns those that are wanted, newest first, at most `limit` */
function newestOf(
  works: readonly ActiveWork[],
  isWanted: (one: ActiveWork) => boolean,
  limit: number,
): ActiveWork[] {
  const found: ActiveWork[] = [];
  for (let index = works.length - 1; index >= 0 && found.length < limit; index--) {
    const one = works[index];
    if (one !== undefined && isWanted(one)) found.push(one);
  }
  return found;
}

/**
 * Finds the WORKs of others that may do the same as a WORK, RESULT or REVIEW: those under way in its thread,
 * and those that take what it takes or refers to, newest first. Between two that name parts, a part must be
 * the same.
 * @param now milliseconds since 1970
 */
export function othersUnderWay(work: Derivation, post: Post, now: number): ActiveWork[] {
  const author = work.authorOf(post);
  const own = work.works.get(post.id);
  const parts = own?.parts ?? work.results.get(post.id)?.parts ?? [];
  const lists = [
    work.worksIn(post.rootId),
    ...(own?.takes ?? readStepFacts(post)?.refersTo ?? []).map((id) => work.worksOn.get(id) ?? []),
  ];
  const isOther = (one: ActiveWork): boolean =>
    one.step.id !== post.id &&
    isUnderWay(one, now) &&
    !isOwn(one.author, author) &&
    (parts.length === 0 || one.parts.length === 0 || sharesPart(parts, one.parts));
  const others = lists.flatMap((list) => newestOf(list, isOther, MAX_OTHERS));
  return [...new Set(others)]
    .sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1))
    .slice(0, MAX_OTHERS);
}

/**
 * Whether a WORK is the author's own. In another thread, or if both are unclaimed, the names are compared.
 */
function isOwn(one: Author, author: Author): boolean {
  if (isSameWriter(one, author)) return true;
  const isUnknown = one.rootId !== author.rootId || (!isClaimed(one) && !isClaimed(author));
  return isUnknown && one.comparable !== null && one.comparable === author.comparable;
}

const sharesPart = (some: ActiveWork['parts'], others: ActiveWork['parts']): boolean =>
  some.some((one) => others.some(({ idea, index }) => idea === one.idea && index === one.index));
