import { hashWord } from '#store/engine/word-hash.ts';
import type { Post } from '#store/records.ts';
import { takesUp } from '#store/references.ts';
import { comparableName, statedDueOf } from '#store/work/work-rules.ts';
import type { StepTraits } from './work/work-bearings.ts';

/** What the index takes from the texts of a post, so that it keeps none of them. */
export interface PostFacts extends StepTraits {
  readonly prefix: string | null;
  /** Ids, as `takesUp`. */
  readonly references: readonly string[];
}

export function factsOf(post: Post): PostFacts {
  const { prefix } = post;
  const isStep = prefix === 'WORK' || prefix === 'RESULT';
  const name = isStep ? comparableName(post.name) : null;
  return {
    prefix,
    references: takesUp(post),
    statedDue: (isStep ? statedDueOf(post) : null) ?? NaN,
    name: name === null ? NaN : hashWord(name),
  };
}
