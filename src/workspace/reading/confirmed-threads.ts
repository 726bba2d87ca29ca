import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { Reader } from '#store/port/store.ts';
import { labelInList, likenessesOf, signatureOf, type SaidOfResult } from '#work/say.ts';
import { withChecks, type Checked } from '#work/verdicts.ts';
import { namedBySteps, type ListedFinding } from './findings.ts';
import { toNamed, type Names } from './views.ts';
import { restOf } from './find-work.ts';
import { newest, type PageQuery } from './page.ts';
import { titleOf } from './heads.ts';
import { type ResultInBrief, createBriefs } from './thread-state.ts';
import { countStandings, type StandingCounts } from './thread-list.ts';
import type { WorkAt } from './work-reader.ts';

/** RESULTs of one thread. */
const MAX_RESULTS = 12;
/** Code points of the evidence of a REVIEW. */
const MAX_EVIDENCE = 170;

/** A thread with confirmed RESULTs. */
export interface ConfirmedThread extends Pick<SaidOfResult, 'copyOf'> {
  readonly rootId: string;
  /** Undefined if the first post of the thread is not visible. */
  readonly title: string | undefined;
  /** Its confirmed RESULTs, newest first, at most 12. */
  readonly results: readonly (ResultInBrief & Pick<ListedFinding, 'named'> & { readonly message: string })[];
  /** The number of its confirmed RESULTs. */
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
 * Reads one page of the threads with confirmed RESULTs, with the evidence of the REVIEWs. The thread with the
 * newest confirmed RESULT comes first, and copies of threads come last.
 * @param query `before` is `nextBefore` of the last page
 */
export async function readConfirmedThreads(
  read: Pick<Reader, 'posts' | 'related'>,
  { board, lists, counts }: Pick<WorkAt, 'board' | 'lists' | 'counts'>,
  query: PageQuery,
): Promise<ConfirmedThreads> {
  const { before = '~', limit } = newest(query);
  const byThread = new Map<string, Step[]>();
  await visitInSlices(lists.confirmed, (step) => {
    const steps = byThread.get(step.rootId);
    if (steps === undefined) byThread.set(step.rootId, [step]);
    else steps.push(step);
  });
  const firstResults = [...byThread.values()].flatMap(([first]) => first ?? []);
  const older = before === '~' ? firstResults : restOf(firstResults, before);
  const shown = older.slice(0, limit).map(({ rootId }) => [rootId, byThread.get(rootId) ?? []] as const);
  const results = shown.map(([, steps]) =>
    steps
      .slice(0, MAX_RESULTS)
      .flatMap(({ id }) => board.results.get(id) ?? [])
      .map((result) => withChecks(result)),
  );
  const rootIds = shown.map(([rootId]) => rootId);
  const stepsOf = ({ result, checks }: Checked): Step[] => [result.step, ...checks.map(({ step }) => step)];
  const steps = results.flat().flatMap(stepsOf);
  const likenesses = steps.flatMap((step) => likenessesOf(signatureOf(board, step)));
  const related = await read.related({
    posts: [...rootIds, ...steps.map(({ id }) => id)],
    heads: likenesses,
    numbers: [...likenesses, ...namedBySteps(board, steps)],
  });
  const messages = new Map(Array.from(related.posts, ([id, { record }]) => [id, record.message]));
  const toBrief = createBriefs(board, messages, MAX_EVIDENCE);
  const firsts = shown.map(([rootId]) => related.posts.get(rootId)?.record);
  const threads = shown.map(([rootId, steps], index) => ({
    rootId,
    title: firsts[index] && titleOf(firsts[index]),
    results: (results[index] ?? []).map((checked) => {
      const { checks = [], ...brief } = toBrief(checked);
      return {
        ...brief,
        checks: checks.filter((check) => check.trusted),
        message: messages.get(brief.id) ?? '',
        named: toNamed(namedBySteps(board, stepsOf(checked)), related.numbers),
      };
    }),
    ...labelInList(board, { id: rootId, rootId }),
    confirmed: steps.length,
    standings: countStandings(board, rootId),
  }));
  const last = shown.at(-1)?.[1][0];
  return {
    threads,
    names: related,
    counts,
    nextBefore: shown.length < older.length ? (last?.createdAt ?? null) : null,
  };
}
