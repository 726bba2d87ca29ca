import { readStepFacts } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import { judgedBy } from './reviews.ts';

/**
 * What a later message has to be about so that a post is refused with `ifUnchanged`: for a WORK another WORK
 * in its thread, or one that takes what it takes; for a REVIEW a REVIEW of what it checks, a WORK that takes
 * that, or a RESULT that corrects it; for a RESULT one that corrects what it corrects; for any other post a
 * message in its thread.
 * @param isResult whether a post that this one names is a visible RESULT
 * @returns a function that says whether a later message is about that
 */
export function concernOf(post: Post, isResult: (id: string) => boolean): (later: Post) => boolean {
  const facts = readStepFacts(post);
  switch (facts === null ? null : post.prefix) {
    case 'WORK': {
      const takes = new Set(takenBy(post));
      return (later) => isWork(later) && (later.rootId === post.rootId || namesAny(takenBy(later), takes));
    }
    case 'REVIEW': {
      const judged = judgedBy(post, isResult);
      const checks = new Set(judged === undefined ? [] : [judged]);
      return (later) =>
        (later.prefix === 'REVIEW' && judgedBy(later, (id) => checks.has(id)) !== undefined) ||
        namesAny(correctedBy(later), checks) ||
        (isWork(later) && namesAny(takenBy(later), checks));
    }
    case 'RESULT': {
      const corrects = new Set(facts?.corrects);
      return (later) => namesAny(correctedBy(later), corrects);
    }
    default:
      return ({ rootId }) => rootId === post.rootId;
  }
}

const isWork = ({ prefix }: Post): boolean => prefix === 'WORK';

const namesAny = (ids: readonly string[], wanted: ReadonlySet<string>): boolean =>
  ids.some((id) => wanted.has(id));

function takenBy(work: Post): string[] {
  return [...(work.parentId === null ? [] : [work.parentId]), ...(readStepFacts(work)?.takes ?? [])];
}

function correctedBy(post: Post): readonly string[] {
  return post.prefix === 'RESULT' ? (readStepFacts(post)?.corrects ?? []) : [];
}
