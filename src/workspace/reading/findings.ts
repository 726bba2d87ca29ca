import { parseCheckLines, type CheckLines } from '#message/check-lines.ts';
import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { Related } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import type { Board } from '#work/board.ts';
import { sinceOf } from '#work/thread-summary.ts';
import { labelInList, likenessesOf, shownStandingOf, signatureOf } from '#work/standing-view.ts';
import type { Signature } from '#work/standing-view.ts';
import type { Result, Viewpoint } from '#work/model.ts';
import { viewpointOfOpener } from '#work/trusted.ts';
import { judge } from '#work/verdicts.ts';
import { summarizeReviews } from '#work/reviews.ts';
import { titleOf } from './message.ts';
import { toNamed, type ReadContext } from './views.ts';
import { delistings, LISTED_AFTER_MS, type ListedThread } from '#work/listing-delay.ts';
import { newest, restOf, type PageQuery } from './page.ts';
import { progressInLists } from './progress.ts';
import { DAY_MS, timestampAt } from '#workspace/text/time.ts';

/** A RESULT in a list over threads: its standing and its reviews, with lines of their texts. */
export type Finding = ReturnType<ReturnType<typeof createFindings>>;

/** The maximum number of code points of each line that is read from a text. */
const MAX_LINE = 200;

/** @returns the messages that `createFindings` needs for a RESULT: the RESULT and its REVIEWs */
export function stepsOfFinding(result: Result, viewpoint?: Viewpoint): Step[] {
  const { agreeing, others } = summarizeReviews(result, viewpoint);
  return [result, ...agreeing, ...others].map(({ step }) => step);
}

/** @returns the ids of messages that steps name in their own threads */
export const namedBySteps = (board: Board, steps: readonly Step[]): string[] =>
  steps.flatMap(({ rootId, refersTo }) =>
    refersTo.filter((id) => id === rootId || board.authorOfStep(id)?.rootId === rootId),
  );

/** A store returns the newest posts as the same objects, so each text is parsed once. */
const cachedLines = new WeakMap<Post, CheckLines>();

function linesIn(post: Post): CheckLines {
  const lines = cachedLines.get(post) ?? parseCheckLines(post.message, post.prefix, MAX_LINE);
  cachedLines.set(post, lines);
  return lines;
}

/**
 * Creates a function that describes a RESULT for a list.
 * @param related with the `posts` of `stepsOfFinding`, and the `numbers` of the messages that these name
 */
export function createFindings(
  board: Board,
  { posts, numbers }: Pick<Related, 'posts' | 'numbers'>,
  viewpoint?: Viewpoint,
) {
  const linesOf = (id: string): CheckLines => {
    const post = posts.get(id)?.record;
    return post === undefined ? {} : linesIn(post);
  };
  return (result: Result) => {
    const { author, thread } = result;
    const { id, rootId, name, createdAt } = result.step;
    const seenFrom = viewpoint ?? viewpointOfOpener(thread);
    const { checked = [], others = [], ...shownStanding } = shownStandingOf(board, id, viewpoint);
    return {
      id,
      rootId,
      name,
      createdAt,
      title: titleOf(posts.get(id)?.record),
      ...linesOf(id),
      ...signatureOf(board, result.step),
      ...shownStanding,
      standing: judge(result, viewpoint).standing,
      /** When it got this standing. */
      since: sinceOf(result, viewpoint),
      isDistrusted: author.writer !== null && seenFrom.distrusted.has(author.writer),
      checked: checked.map((review) => ({ ...review, ...linesOf(review.id) })),
      others: others.map((review) => ({ ...review, ...linesOf(review.id) })),
      /** The numbers of the messages of its thread that these texts name, by id. */
      named: toNamed(namedBySteps(board, stepsOfFinding(result, viewpoint)), numbers),
    };
  };
}

/** The author of the first message of a thread. */
export type Opener = Signature & { readonly name: string | null };

export const openerOf = (board: Board, first: Post | undefined): Opener => ({
  name: first?.name ?? null,
  ...(first && signatureOf(board, first)),
});

/** Counts steps by UTC day, `YYYY-MM-DD`. */
export async function countByDay(steps: readonly Step[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  await visitInSlices(steps, ({ createdAt }) => {
    const day = createdAt.slice(0, 'YYYY-MM-DD'.length);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  });
  return counts;
}

/** A thread with confirmed RESULTs. */
export type ConfirmedThread = ReturnType<ReturnType<typeof prepareConfirmed>['toThreads']>[number];

/**
 * Reads one page of the threads with listed RESULTs, and what their REVIEWs say. The thread whose first
 * RESULT was listed last comes first. Copies of threads come last.
 * @param query `before` is `nextBefore` of the previous page
 */
export async function readConfirmedThreads({ store: { read }, boards, now }: ReadContext, query: PageQuery) {
  const at = now();
  const { board, listed, counts } = await boards.overview(at);
  const { before, limit } = newest(query);
  const older = restOf(listed, ({ since }) => since, before);
  const page = older.slice(0, limit);
  const delisted = query.before === undefined ? firstOfDay(await readDelisted(board, at)) : [];
  const lost = delisted.slice(0, limit).map(({ step, result, others }) => ({
    rootId: result.step.rootId,
    since: step.createdAt,
    shown: [result.step],
    more: others.length,
  }));
  const { relatedQuery, toThreads } = prepareConfirmed(board, [...page, ...lost], at);
  const related = await read.related(relatedQuery);
  const threads = toThreads(related);
  return {
    threads: threads.slice(0, page.length),
    /** RESULTs that left the lists in the last seven days, one per thread and day; none on later pages. */
    lost: threads.slice(page.length),
    names: related,
    counts,
    nextBefore: page.length < older.length ? (page.at(-1)?.since ?? null) : null,
  };
}

/**
 * @param max the number of RESULTs of each thread, three by default and at most
 * @returns the query for the store, and a function that makes threads of the result
 */
export function prepareConfirmed(board: Board, listed: readonly ListedThread[], now: number, max?: number) {
  const chosen = listed.map((thread) => ({
    ...thread,
    results: thread.shown.slice(0, max).flatMap(({ id }) => board.results.get(id) ?? []),
  }));
  const steps = chosen.flatMap(({ results }) => results.flatMap((result) => stepsOfFinding(result)));
  const likenesses = steps.flatMap((step) => likenessesOf(signatureOf(board, step)));
  const relatedQuery = {
    posts: [...chosen.map(({ rootId }) => rootId), ...steps.map(({ id }) => id)],
    heads: likenesses,
    numbers: [...likenesses, ...namedBySteps(board, steps)],
  };
  const toThreads = (related: Pick<Related, 'posts' | 'numbers'>) => {
    const toFinding = createFindings(board, related);
    return chosen.map(({ rootId, since, shown, more, results }) => {
      const first = related.posts.get(rootId)?.record;
      return {
        rootId,
        /** Undefined if the first post of the thread is not visible. */
        title: first && titleOf(first),
        opener: openerOf(board, first),
        /** When its first RESULT was listed. */
        listedAt: timestampAt(Date.parse(since) + LISTED_AFTER_MS),
        /** Its newest listed RESULTs, at most three. */
        results: results.map(toFinding),
        ...labelInList(board, { id: rootId, rootId }),
        /** The number of its listed RESULTs. */
        confirmed: shown.length + more,
        progress: progressInLists(board, rootId, now),
      };
    });
  };
  return { relatedQuery, toThreads };
}

/**
 * Finds the messages that took RESULTs off the lists over threads in the last seven days.
 * @param now milliseconds since 1970
 */
export async function readDelisted(board: Board, now: number): Promise<Omit<FeedEntry, 'others'>[]> {
  const delisted: Omit<FeedEntry, 'others'>[] = [];
  await visitInSlices(allDelistings(board, timestampAt(now - 7 * DAY_MS)), (one) => {
    if (one !== undefined)
      delisted.push({ step: one.by.step, result: one.result, at: Date.parse(one.by.step.createdAt) });
  });
  return delisted;
}

/** Yields the RESULTs that left the lists since a time, and undefined before each thread, for a pause. */
function* allDelistings(
  { results }: { readonly results: ReadonlyMap<string, Result> },
  since: string,
): ReturnType<typeof delistings> {
  for (const thread of new Set(Array.from(results.values(), (one) => one.thread))) {
    yield undefined;
    yield* delistings(thread, since);
  }
}

/** An entry of a feed: a RESULT that was listed, or the message that took a RESULT off the lists. */
export interface FeedEntry {
  readonly step: Step;
  readonly result: Result;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The other RESULTs of the same thread and day, newest first. */
  readonly others: readonly Result[];
}

/**
 * @returns the first entry of each thread and day, newest first
 * @example #2 listed at 10:00, #4 of the same thread at 11:00, #5 of another at 12:00
 *   `[#5, #2 with others: [#4]]`
 */
export function firstOfDay(all: readonly Omit<FeedEntry, 'others'>[]): FeedEntry[] {
  const byDay = new Map<string, FeedEntry>();
  for (const entry of all.toSorted((a, b) => b.at - a.at)) {
    const day = `${Math.floor(entry.at / DAY_MS)} ${entry.step.rootId}`;
    const later = byDay.get(day);
    byDay.set(day, { ...entry, others: later === undefined ? [] : [...later.others, later.result] });
  }
  return [...byDay.values()].sort((a, b) => b.at - a.at);
}
