import { comparableMark } from '#message/mark.ts';
import type { Step, StepFacts } from '#message/step.ts';
import type { LaterStep } from '#store/port/lookups.ts';

/**
 * @param facts as `readStepFacts` of the post
 * @param prefixOf returns the prefix of a visible post; null if there is none
 */
export function toLaterStep(
  post: Omit<Step, keyof StepFacts> & { readonly mark?: string | null | undefined },
  facts: StepFacts | null,
  prefixOf: (id: string) => string | null,
): LaterStep {
  const { id, prefix, parentId, rootId, createdAt, mark } = post;
  const named = facts === null ? [] : comparedPosts(prefix, facts);
  const prefixes = named.flatMap((one) => {
    const found = prefixOf(one);
    return found === null ? [] : [[one, found] as const];
  });
  return {
    id,
    prefix,
    parentId,
    rootId,
    createdAt,
    mark: mark == null ? null : comparableMark(mark),
    facts,
    prefixes: Object.fromEntries(prefixes),
  };
}

/** @returns the posts whose prefixes decide what a WORK takes, or what a REVIEW judges */
function comparedPosts(prefix: string | null, { takes, checked, refersTo }: StepFacts): readonly string[] {
  if (prefix === 'WORK') return takes;
  return prefix === 'REVIEW' ? [...(checked ?? []), ...refersTo] : [];
}
