import { labelInList, likenessesOf, signatureOf, type SaidOfResult } from '#work/say.ts';
import { namedBySteps, openerOf, type ListedFinding, type Opener } from './findings.ts';
import { toNamed, type Names } from './views.ts';
import { newest, type PageQuery } from './page.ts';
import { titleOf } from './heads.ts';
import { type ResultInBrief, createBriefs, shownWith } from './thread-state.ts';
import { countStandings, type StandingCounts } from './thread-list.ts';
import type { WorkAt } from './work-reader.ts';
import { timestampAt } from '#workspace/text/time.ts';
import type { ReadContext } from './views.ts';

/** Code points of the evidence of a REVIEW. */
const MAX_EVIDENCE = 170;

/** A thread with confirmed RESULTs. */
export interface ConfirmedThread extends Pick<SaidOfResult, 'copyOf'> {
  readonly rootId: string;
  /** Undefined if the first post of the thread is not visible. */
  readonly title: string | undefined;
  /** Who has written that. */
  readonly opener: Opener;
  /** Its newest listed RESULTs, at most three. */
  readonly results: readonly (ResultInBrief & Pick<ListedFinding, 'named'> & { readonly message: string })[];
  /** The number of its listed RESULTs. */
  readonly confirmed: number;
  /** The standings of all its RESULTs. */
  readonly standings: StandingCounts;
}

export interface ConfirmedThreads extends Pick<WorkAt, 'counts'> {
  readonly threads: readonly ConfirmedThread[];
  readonly names: Names;
  readonly nextBefore: string | null;
}

/**
 * Reads one page of the threads with listed RESULTs, with the evidence of the REVIEWs. The thread of which the
 * first RESULT was listed last comes first, and copies of threads come last.
 * @param query `before` is `nextBefore` of the last page
 */
export async function readConfirmedThreads(
  { store: { read }, work, now }: ReadContext,
  query: PageQuery,
): Promise<ConfirmedThreads> {
  const { board, listed, counts } = await work.at(now());
  const { before = '~', limit } = newest(query);
  // The order is not that of time, since copies come last.
  const last = listed.findLastIndex(({ since }) => timestampAt(since) === before);
  const older = last < 0 ? listed.filter(({ since }) => timestampAt(since) < before) : listed.slice(last + 1);
  const shown = older.slice(0, limit);
  const results = shown.map((thread) => thread.shown.flatMap(({ id }) => board.results.get(id) ?? []));
  const steps = results.flat().flatMap((result) => shownWith(result));
  const likenesses = steps.flatMap((step) => likenessesOf(signatureOf(board, step)));
  const related = await read.related({
    posts: [...shown.map(({ rootId }) => rootId), ...steps.map(({ id }) => id)],
    heads: likenesses,
    numbers: [...likenesses, ...namedBySteps(board, steps)],
  });
  const messages = new Map(Array.from(related.posts, ([id, { record }]) => [id, record.message]));
  const toBrief = createBriefs(board, messages, MAX_EVIDENCE);
  const threads = shown.map(({ rootId, shown: { length }, more }, index) => {
    const first = related.posts.get(rootId)?.record;
    return {
      rootId,
      title: first && titleOf(first),
      opener: openerOf(board, first),
      results: (results[index] ?? []).map((result) => ({
        ...toBrief(result),
        message: messages.get(result.step.id) ?? '',
        named: toNamed(namedBySteps(board, shownWith(result)), related.numbers),
      })),
      ...labelInList(board, { id: rootId, rootId }),
      confirmed: length + more,
      standings: countStandings(board, rootId),
    };
  });
  const next = shown.at(-1)?.since;
  return {
    threads,
    names: related,
    counts,
    nextBefore: shown.length < older.length && next !== undefined ? timestampAt(next) : null,
  };
}
