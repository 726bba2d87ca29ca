import type { Related } from '#store/port/pages.ts';
import type { Board } from '#work/board.ts';
import { firstOfDay, LISTED_AFTER_MS, type ListedThread } from '#work/listed.ts';
import { labelInList, likenessesOf, signatureOf } from '#work/message-view.ts';
import { readDelisted } from './confirmed-feed.ts';
import { createFindings, namedBySteps, openerOf, stepsOfFinding } from './findings.ts';
import { newest, type PageQuery } from './page.ts';
import { titleOf } from './heads.ts';
import { readProgress } from './progress.ts';
import { timestampAt } from '#workspace/text/time.ts';
import type { ReadContext } from './views.ts';

/** A thread with confirmed RESULTs. */
export type ConfirmedThread = ReturnType<ReturnType<typeof confirmedOf>['toThreads']>[number];

/**
 * Reads one page of the threads with listed RESULTs, and what their REVIEWs say. The thread of which the first
 * RESULT was listed last comes first, and copies of threads come last.
 * @param query `before` is `nextBefore` of the last page
 */
export async function readConfirmedThreads({ store: { read }, work, now }: ReadContext, query: PageQuery) {
  const at = now();
  const { board, listed, counts } = await work.at(at);
  const { before = '~', limit } = newest(query);
  // The order is not that of time, since copies come last.
  const last = listed.findIndex(({ since }) => since === before);
  const older = last < 0 ? listed.filter(({ since }) => since < before) : listed.slice(last + 1);
  const shown = older.slice(0, limit);
  const delisted = query.before === undefined ? firstOfDay(await readDelisted(board, at)) : [];
  const lost = delisted.slice(0, limit).map(({ step, result, others }) => ({
    rootId: result.rootId,
    since: step.createdAt,
    shown: [result],
    more: others.length,
  }));
  const { wanted, toThreads } = confirmedOf(board, [...shown, ...lost], at);
  const related = await read.related(wanted);
  const threads = toThreads(related);
  return {
    threads: threads.slice(0, shown.length),
    /** With what left the lists in the last seven days, one RESULT a thread a day; none on later pages. */
    lost: threads.slice(shown.length),
    names: related,
    counts,
    nextBefore: shown.length < older.length ? (shown.at(-1)?.since ?? null) : null,
  };
}

/**
 * @param each how many RESULTs of a thread, at most three
 * @returns what to ask the store for, and a function that makes the threads of its answer
 */
export function confirmedOf(board: Board, listed: readonly ListedThread[], now: number, each?: number) {
  const chosen = listed.map((thread) => ({
    ...thread,
    results: thread.shown.slice(0, each).flatMap(({ id }) => board.results.get(id) ?? []),
  }));
  const steps = chosen.flatMap(({ results }) => results.flatMap((result) => stepsOfFinding(result)));
  const likenesses = steps.flatMap((step) => likenessesOf(signatureOf(board, step)));
  const wanted = {
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
        progress: readProgress(board, rootId, now),
      };
    });
  };
  return { wanted, toThreads };
}
