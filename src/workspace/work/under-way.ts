import { comparableName } from '#message/step.ts';
import { refersTo } from '#message/references.ts';
import type { Post } from '#store/port/records.ts';
import type * as z from 'zod';
import type { WorkUnderWay } from '#workspace/schemas/post.ts';
import { timestampAt } from '#workspace/text/rfc3339.ts';
import { isUnderWay, type ActiveWork, type DerivedWork } from './derive-work.ts';

/** For one post. */
const MAX_UNDER_WAY = 5;
/** In a receipt. */
const MAX_OTHERS = 10;

type UnderWay = z.infer<typeof WorkUnderWay>;

export function toUnderWay({ step: { id, name }, due }: ActiveWork): UnderWay {
  return { id, name, dueAt: timestampAt(due.at) };
}

/** @returns the WORKs under way that take a post, newest first. @param now milliseconds since 1970 */
export function worksUnderWayOn({ worksOn }: DerivedWork, id: string, now: number): UnderWay[] {
  const works = (worksOn.get(id) ?? []).filter((work) => isUnderWay(work, now));
  return works.slice(-MAX_UNDER_WAY).reverse().map(toUnderWay);
}

/**
 * The WORKs under way in the thread of a WORK, RESULT or REVIEW, and those that take what a WORK takes and
 * others refer to, newest first. A WORK of the same name counts as the author's own and is left out.
 * @param now milliseconds since 1970
 */
export function othersUnderWay(
  { works, worksIn, worksOn }: DerivedWork,
  post: Post,
  now: number,
): ActiveWork[] {
  const own = comparableName(post.name);
  const concerned = works.get(post.id)?.takes ?? refersTo(post);
  const lists = [worksIn.get(post.rootId), ...concerned.map((id) => worksOn.get(id))];
  const others = lists
    .flatMap((listed) => listed ?? [])
    .filter(
      (work) => work.step.id !== post.id && isUnderWay(work, now) && (own === null || work.name !== own),
    );
  return [...new Set(others)]
    .sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1))
    .slice(0, MAX_OTHERS);
}
