import { visitInSlices } from '#runtime/slice.ts';
import { toSigner } from '#message/signer.ts';
import { comparableName, judgedPost, type Step } from '#message/step.ts';
import type { PostHead } from '#store/port/pages.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import { signedBy } from '#work/board.ts';
import { readCount, signatureOf, signatureOfStep } from '#work/say.ts';
import { insertTop, type Result, type Said, type Work } from '#work/thread.ts';
import { countOf, isShown, judge } from '#work/verdicts.ts';
import { statusOf } from '#work/works.ts';
import type { ByName } from '#workspace/schemas/work.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { readHeads } from './heads.ts';
import { toUnderWay } from './under-way.ts';
import type { WorkAt } from './work-reader.ts';

/** Entries of each list. */
const MAX_LISTED = 5;

/** How a caller says who it is. */
export interface Own {
  readonly name?: string | undefined;
  /** In any case. */
  readonly mark?: readonly string[] | undefined;
}

export const isAsked = ({ name, mark }: Own): boolean => name !== undefined || mark !== undefined;

/**
 * Reads what has one of these signers, or without them what is signed with exactly this name, and what others
 * say about it, newest first. Anybody can use a name; the signers show which messages were sent with one key.
 * @throws StoreFailure
 */
export async function readByName(
  read: Pick<Reader, 'posts' | 'referrersOf'>,
  { board }: WorkAt,
  { name, mark }: Own,
): Promise<z.infer<typeof ByName>> {
  const signers = mark && new Set(mark.map(toSigner));
  const isSigned = signedBy(board, name, signers);
  const own = board.steps.filter(isSigned).reverse();
  // Of each list one more than is shown: thousands of messages may have one name.
  const works: Work[] = [];
  const results: Result[] = [];
  const reviews: (Said & { readonly result: Result })[] = [];
  const ownReviews: Step[] = [];
  const isReview = new Set<string>();
  await visitInSlices(own, (step) => {
    const [work, result] = [board.works.get(step.id), board.results.get(step.id)];
    const isOpen = work !== undefined && isShown(work) && statusOf(work).endedBy === null;
    if (isOpen && works.length <= MAX_LISTED) works.push(work);
    if (step.prefix === 'REVIEW' && ownReviews.length <= MAX_LISTED) ownReviews.push(step);
    if (result === undefined) return;
    if (results.length <= MAX_LISTED) results.push(result);
    for (const review of result.judgements) {
      if (isSigned(review.step)) continue;
      isReview.add(review.step.id);
      const last = reviews[MAX_LISTED];
      if (last !== undefined && last.step.createdAt >= review.step.createdAt) continue;
      insertTop(reviews, { ...review, result }, MAX_LISTED + 1, isLater);
    }
  });
  const [shownWorks, shownResults] = [works.slice(0, MAX_LISTED), results.slice(0, MAX_LISTED)];
  const since = own[0]?.createdAt ?? '';
  const referrers = await Promise.all(
    [...shownWorks, ...shownResults].map(({ step }) => read.referrersOf(step.id, MAX_LISTED + 1)),
  );
  const byId = new Map(referrers.flat().map((head): [string, PostHead] => [head.id, head]));
  const messages = [...byId.values()]
    .filter((head) => head.createdAt > since && !isSigned(head) && !isReview.has(head.id))
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  const shownMessages = messages.slice(0, MAX_LISTED);
  const heads = await readHeads(read, [
    ...[...shownWorks, ...shownResults].map(({ step }) => step.id),
    ...shownMessages.map(({ id }) => id),
  ]);
  const titleOf = (id: string): string => heads.get(id)?.title ?? '';
  return {
    works: shownWorks.map((one) => ({
      ...toUnderWay(board, one),
      title: titleOf(one.step.id),
      rootId: one.step.rootId,
    })),
    results: shownResults.map((result) => ({
      id: result.step.id,
      ...signatureOf(board, result.step),
      standing: judge(result).standing,
      title: titleOf(result.step.id),
      rootId: result.step.rootId,
    })),
    reviews: reviews.slice(0, MAX_LISTED).map(({ step, author, result }) => ({
      id: step.id,
      name: step.name,
      ...signatureOf(board, step),
      outcome: step.outcome,
      of: result.step.id,
      trusted: countOf(result, { step, author })?.trusted ?? null,
      createdAt: step.createdAt,
    })),
    ...(signers && {
      ownReviews: ownReviews.slice(0, MAX_LISTED).map(({ id, rootId, createdAt, ...step }) => {
        const judged = judgedPost(step, () => true);
        const counts = readCount(board, id, judged === undefined ? [] : [judged]);
        return { id, rootId, ...counts, createdAt };
      }),
    }),
    messages: shownMessages.flatMap(({ id, prefix, createdAt, name: signed }) => {
      const head = heads.get(id);
      if (head === undefined) return [];
      return [
        {
          id,
          name: signed,
          ...signatureOfStep(board, id),
          prefix: prefix as Prefix | null,
          title: head.title,
          rootId: head.rootId,
          createdAt,
        },
      ];
    }),
    ...([works, results, reviews, messages, signers ? ownReviews : []].some(
      (list) => list.length > MAX_LISTED,
    ) && {
      more: true as const,
    }),
  };
}

const isLater = (one: Said, other: Said): boolean => one.step.createdAt > other.step.createdAt;

/**
 * Creates a check whether a RESULT may be offered for review to a caller: not if it has a signer of the caller,
 * nor, whatever its signer, the caller's name. It compares each name once, since thousands of RESULTs have a few
 * names.
 */
export function offersTo({ name, mark = [] }: Own): (step: Pick<Step, 'name' | 'mark'>) => boolean {
  const signers = new Set(mark.map(toSigner));
  const own = comparableName(name);
  const known = new Map<string | null, boolean>();
  return (step) => {
    if (signers.has(toSigner(step.mark ?? ''))) return false;
    const isOther = known.get(step.name) ?? (own === null || comparableName(step.name) !== own);
    known.set(step.name, isOther);
    return isOther;
  };
}
