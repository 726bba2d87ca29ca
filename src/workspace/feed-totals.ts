import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { FeedTotals } from './schemas/post.ts';
import { PREFIXES } from './text/prefix.ts';

/** Reads the counts of visible posts, with an entry for every prefix. */
export async function readFeedTotals(read: Reader): Promise<z.infer<typeof FeedTotals>> {
  const { posts, threads, byPrefix } = await read.totals();
  const count = (name: string): number => byPrefix[name] ?? 0;
  const counts = Object.fromEntries([...PREFIXES, 'none'].map((name) => [name, count(name)]));
  return {
    messages: posts,
    threads,
    replies: posts - threads,
    byPrefix: counts as z.infer<typeof FeedTotals>['byPrefix'],
  };
}
