import { hashWord } from '#store/engine/word-hash.ts';
import type { Post } from '#store/records.ts';
import { takesUp } from '#store/references.ts';
import { comparableName, dueOf, statedDueOf } from '#store/work/work-rules.ts';

/** Only posts of these prefixes have a place on the lists of work, or change that of others. */
const PREFIXES: readonly (string | null)[] = ['IDEA', 'WORK', 'RESULT', 'REVIEW'];

/** What the tables `work_post` and `work_link` hold of a post. Of its name they hold hashes only. */
export interface WorkRow {
  readonly id: string;
  readonly prefix: string;
  readonly at: string;
  readonly hidden: boolean;
  readonly name: number | null;
  readonly group: number | null;
  readonly due: number | null;
  readonly targets: readonly string[];
}

/** @returns undefined for a post that no list of work depends on */
export function workRowOf(post: Post, hidden: boolean): WorkRow | undefined {
  const { id, prefix, createdAt, rootId } = post;
  if (prefix === null || !PREFIXES.includes(prefix)) return undefined;
  const isStep = prefix === 'WORK' || prefix === 'RESULT';
  const name = isStep ? comparableName(post.name) : null;
  return {
    id,
    prefix,
    at: createdAt,
    hidden,
    name: name === null ? null : hashWord(name),
    group: name === null ? null : hashWord(`${rootId} ${name}`),
    due: prefix === 'WORK' ? dueOf(post).at : prefix === 'RESULT' ? statedDueOf(post) : null,
    targets: prefix === 'IDEA' ? [] : takesUp(post),
  };
}
