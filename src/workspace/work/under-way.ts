import { comparableName, takesUp, type Post, type Reader, type Standing } from '#store/store.ts';
import type * as z from 'zod';
import type { WorkUnderWay } from '#workspace/schemas/post.ts';
import { timestampAt } from '#workspace/text/rfc3339.ts';

/** At most so many WORKs under way are shown of one post. */
export const MAX_UNDER_WAY = 5;

type UnderWay = z.infer<typeof WorkUnderWay>;

export function toUnderWay({ id, name, dueAt }: Standing['underWay'][number]): UnderWay {
  return { id, name, dueAt: timestampAt(dueAt) };
}

/**
 * The others that are under way with what a post takes up: of RESULTs among that with these alone, since a WORK or REVIEW
 * that names one is about it and only replies to the idea of its thread. A WORK of the same name is taken for the author's own.
 * @param now wall-clock time in milliseconds since 1970
 * @returns at most `MAX_UNDER_WAY`, the newest first of each thing
 */
export async function othersUnderWay(read: Reader, post: Post, now: number): Promise<UnderWay[]> {
  const own = comparableName(post.name);
  const standings = await read.standings(takesUp(post), now);
  const results = standings.filter(({ prefix }) => prefix === 'RESULT');
  const others = (results.length > 0 ? results : standings)
    .flatMap(({ underWay }) => underWay)
    .filter(({ id, name }) => id !== post.id && (own === null || comparableName(name) !== own));
  const distinct = new Map(others.map((work) => [work.id, work]));
  return [...distinct.values()].slice(0, MAX_UNDER_WAY).map(toUnderWay);
}
