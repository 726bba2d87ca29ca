import type { PostHead, ThreadHead } from '#store/port/pages.ts';
import type * as z from 'zod';
import { copiesLast, type Board } from '#work/board.ts';
import { type SaidOfResult, type Signature, likenessesOf, readStanding, signatureOf } from '#work/say.ts';
import { isShown, judge } from '#work/verdicts.ts';
import type { Standing } from '#work/thread.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { readFeedTotals } from './feed.ts';
import type { Names, ReadContext } from './views.ts';
import { newest, type PageQuery } from './page.ts';
import type { FeedTotals, Message } from '#workspace/schemas/post.ts';
import {
  countByDay,
  namedBySteps,
  newestFindings,
  MAX_FINDINGS,
  toListed,
  type ListedFinding,
} from './findings.ts';
import { titleOf } from './heads.ts';
import type { WorkAt } from './work-reader.ts';

/** The number of RESULTs of each standing, without zeros; those that are `reviewed` count as `unreviewed`. */
export type StandingCounts = Readonly<Partial<Record<Standing, number>>>;

export interface ListedThread {
  /** The first post of the thread, or the oldest visible one if the first is not visible. */
  readonly first: Pick<z.infer<typeof Message>, 'id' | 'prefix' | 'name' | 'createdAt'> &
    Signature &
    SaidOfResult;
  readonly size: number;
  readonly title: string;
  /** The newest visible post. */
  readonly last: Pick<PostHead, 'id' | 'name' | 'createdAt'> & Signature;
  /** The standings of its RESULTs. */
  readonly standings: StandingCounts;
}

/** Threads, and the state of the workspace at the same time. */
export interface ThreadList extends Pick<WorkAt, 'counts' | 'changesAt'> {
  readonly nextBefore: string | null;
  readonly totals: z.infer<typeof FeedTotals>;
  readonly threads: readonly ListedThread[];
  /** The newest RESULT of each of the threads that were listed last. */
  readonly findings: readonly ListedFinding[];
  /** How many RESULTs of each day, `YYYY-MM-DD`, are on the list `confirmed`. */
  readonly confirmedOn: ReadonlyMap<string, number>;
  /** The newest message of a thread has a number, unless it has just been erased. */
  readonly names: Names;
}

/** Reads threads by their last activity, newest first. @throws StoreFailure */
export async function readThreadList(
  { store: { read }, work: workReader, now }: ReadContext,
  query: PageQuery,
): Promise<ThreadList> {
  const { order, before, limit } = newest(query);
  // One thread more than the page shows whether there is another page.
  const [{ items }, totals] = await Promise.all([
    read.threads({ order, before, limit: limit + 1, tail: 1 }),
    readFeedTotals(read),
  ]);
  const shown = items.slice(0, limit);
  const work = await workReader.at(now());
  const { board, lists, counts, changesAt } = work;
  const newestOf = newestFindings(work);
  const threads = copiesLast(board, shown, ({ post }) => post.record).map((thread) => ({
    first: toFirst(board, thread),
    size: thread.size,
    title: titleOf(thread.post.record),
    last: toLast(board, thread),
    standings: countStandings(board, thread.post.record.rootId),
  }));
  const likenesses = [
    ...threads.flatMap(({ first, last }) => [first, last]),
    ...newestOf.map(({ check }) => signatureOf(board, check)),
  ].flatMap(likenessesOf);
  const related = await read.related({
    posts: newestOf.flatMap(({ result, check }) => [result.rootId, result.id, check.id]),
    heads: likenesses,
    numbers: [
      ...likenesses,
      ...threads.map(({ last }) => last.id),
      ...newestOf.flatMap(({ result, check }) => namedBySteps(board, [result, check])),
    ],
  });
  return {
    nextBefore: shown.length < items.length ? (shown.at(-1)?.lastAt ?? null) : null,
    totals,
    threads,
    findings: newestOf.flatMap((finding) => toListed(board, finding, related)).slice(0, MAX_FINDINGS),
    confirmedOn: await countByDay(lists.confirmed),
    names: related,
    counts,
    changesAt,
  };
}

function toFirst(board: Board, { post: { record } }: ThreadHead): ListedThread['first'] {
  const { id, prefix, name = null, createdAt } = record;
  return {
    id,
    prefix: prefix as Prefix | null,
    name,
    createdAt,
    ...signatureOf(board, record),
    ...readStanding(board, id),
  };
}

function toLast(board: Board, { post: { record }, tail = [] }: ThreadHead): ListedThread['last'] {
  const { id, name = null, mark, createdAt } = tail.at(-1) ?? record;
  const signed = { id, rootId: record.rootId, name, mark: mark ?? undefined, createdAt };
  return {
    id,
    name,
    createdAt,
    ...signatureOf(board, signed),
  };
}

export function countStandings(board: Board, rootId: string): StandingCounts {
  const counts: Partial<Record<Standing, number>> = {};
  for (const result of board.thread(rootId)?.results.filter(isShown) ?? []) {
    const { standing: exact } = judge(result);
    const standing = exact === 'reviewed' ? 'unreviewed' : exact;
    counts[standing] = (counts[standing] ?? 0) + 1;
  }
  return counts;
}
