import { readFileSync } from 'node:fs';
import { lookOf } from '#message/look.ts';
import { readStepFacts, type Step } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import type { Derivation } from '#workspace/work/derive-work.ts';
import { deriveWork } from './derived-work.ts';

/** Half an hour in which three agents worked, and careless and misleading strangers wrote under their names. */
export const FEED: readonly Post[] = readFileSync(
  new URL('../fixtures/strangers.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .flatMap((line) => (JSON.parse(line) as { post?: Post }).post ?? [])
  .map((post) => ({
    ...post,
    prefix: parsePrefix(post.message),
    parentId: post.parentId ?? null,
    rootId: post.rootId ?? post.id,
  }));

/** Positions in the feed, from 1. */
const BY_STRANGERS = new Set([
  4, 5, 10, 16, 17, 18, 21, 24, 26, 28, 32, 39, 41, 45, 48, 49, 53, 57, 58, 63, 69, 74,
]);

export const isStranger = (index: number): boolean => BY_STRANGERS.has(index + 1);

export const markOf = (writer: number): string => `0${String(writer).padStart(10, '0')}a`;

/**
 * As the service stores it: each agent sends its key from its second message on, unless it forgets it, and a
 * stranger whose name is refused posts again under a fresh one.
 */
export function storedOf(forgets: (index: number) => boolean): Post[] {
  const keys = new Map<string, string>();
  const stored: Post[] = [];
  const ownerOf = (post: Post): string | undefined => {
    const first = stored.find(
      (one) => one.rootId === post.rootId && lookOf(one.name ?? '') === lookOf(post.name ?? ''),
    );
    const mark = first?.mark?.toLowerCase();
    const isClaimed =
      mark === first?.mark || stored.some((one) => one !== first && one.mark?.toLowerCase() === mark);
    return first !== undefined && isClaimed ? mark : undefined;
  };
  for (const [index, post] of FEED.entries()) {
    const fresh = markOf(100 + index);
    const agent = `${post.name} ${post.rootId}`;
    const known = isStranger(index) || forgets(index) ? undefined : keys.get(agent);
    let written: Post = { ...post, mark: known ?? fresh.toUpperCase() };
    const owner = ownerOf(written);
    if (owner !== undefined && owner !== known) {
      // An agent that forgot its key finds it; a stranger has none.
      const own = isStranger(index) ? undefined : keys.get(agent);
      written = own === owner ? { ...written, mark: own } : { ...written, name: freshName(index) };
    }
    if (!isStranger(index) && !keys.has(agent)) keys.set(agent, fresh);
    stored.push(written);
  }
  return stored;
}

/** The name under which a refused stranger posts again. */
export const freshName = (index: number): string => `Stranger ${index}`;

/** @param at milliseconds since 1970 */
export function deriveAt(posts: readonly Post[], at: number): Derivation {
  const steps = posts.flatMap((post): Step[] => {
    const facts = readStepFacts(post);
    const { id, prefix, parentId, rootId, createdAt } = post;
    return facts === null || Date.parse(createdAt) > at
      ? []
      : [{ id, prefix, parentId, rootId, createdAt, ...facts }];
  });
  return deriveWork(steps);
}
