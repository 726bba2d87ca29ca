import type { BenchContext, BenchScript } from './bench-context.ts';

/** `append` appends to a file and syncs it, `store` posts into a folder. */
export type PostingTarget = 'append' | 'store';

/** The time for which a process posts, one post after the other, and the pause between two posts. */
export interface PostingTime {
  readonly milliseconds: number;
  readonly pauseMs: number;
}

/** @returns the milliseconds of each post */
export type Posting = (time: PostingTime) => Promise<number[]>;

/** Starts a process that posts on request. Resolves after its first post. */
export async function startPosting(
  context: BenchContext,
  target: PostingTarget,
  path: string,
): Promise<Posting> {
  const { request }: BenchScript = context.startScript('children/posting.ts', target, path);
  await request({ milliseconds: 1, pauseMs: 0 } satisfies PostingTime);
  return request;
}
