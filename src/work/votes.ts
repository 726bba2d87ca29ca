import type { Result, AuthoredStep, Verdict, Viewpoint, Judgement } from './model.ts';
import { isSameWriter, type Author, type Writer } from './writers.ts';

// From the REVIEWs of a RESULT and a viewpoint to votes, and to the outcome that has the most.

/** The outcomes that judge a RESULT, the most careful first. */
export const JUDGING_OUTCOMES: readonly Judgement['outcome'][] = [
  'not confirmed',
  'partly confirmed',
  'confirmed',
];

/**
 * Finds the newest judgement of each writer about a RESULT. A REVIEW is a judgement if it has an outcome and
 * evidence, and is by someone other than the writer of the RESULT. "withdrawn" takes back the judgement of
 * its writer.
 *
 *     Ann confirmed, Bob partly confirmed, Ann not confirmed    Ann not confirmed, Bob partly confirmed
 *     Ann confirmed, Ann withdrawn                              no judgement
 *
 * @param counts which REVIEWs count
 * @returns by writer, in the order of time; each judgement without a key counts as by another writer
 */
export function newestJudgements(
  { author, reviews }: Result,
  counts: (review: AuthoredStep) => boolean,
): Map<Writer | AuthoredStep, Judgement> {
  const judgements = new Map<Writer | AuthoredStep, Judgement>();
  for (const review of reviews) {
    const { outcome, hasEvidence, createdAt } = review.step;
    if (outcome === null || (outcome !== 'withdrawn' && hasEvidence !== true)) continue;
    if (!counts(review) || isSameWriter(review.author, author)) continue;
    const by = review.author.writer ?? review;
    const before = judgements.get(by);
    judgements.delete(by);
    if (outcome === 'withdrawn') continue;
    judgements.set(by, { ...review, outcome, since: before?.outcome === outcome ? before.since : createdAt });
  }
  return judgements;
}

/**
 * Whether a trusted signer wrote a message. The opener is always trusted.
 * @example the opener confirms a RESULT by Bob: true for what Bob has signed, false without a key
 */
export const isTrusted = ({ trusted }: Pick<Viewpoint, 'trusted'>, { writer }: Author): boolean =>
  writer !== null && trusted.has(writer);

/**
 * Whether a REVIEW came too late to count: the opener had already ended the IDEA that begins the thread. The
 * REVIEWs of the opener, or of the signer whose view is shown, still count.
 * @example #4 "Ends: #1" by the opener; #5 REVIEW by Ann, #6 REVIEW by the opener: true for #5 alone
 */
export const isAfterEnd = ({ viewer, endedAt }: Viewpoint, { writer, createdAt }: Author): boolean =>
  endedAt !== undefined && createdAt > endedAt && writer !== viewer;

/** How many votes the opener has, or the signer whose view is shown. `openerHasVotes` puts it in words. */
export const OPENER_WEIGHT = 2;

/** What a trusted signer says about a RESULT. */
export interface Vote {
  readonly outcome: Judgement['outcome'];
  /** How many votes it counts as: two for the opener, one for anyone else. */
  readonly weight: number;
  /** When it was given or when the opener began to trust its signer, whichever is later. */
  readonly since: string;
}

/**
 * @returns the judgements that decide how a RESULT stands: the newest of each trusted signer
 * @example the opener and a stranger review #2: the judgement of the opener
 */
export const countedJudgements = (
  result: Result,
  viewpoint: Viewpoint,
): ReadonlyMap<Writer | AuthoredStep, Judgement> =>
  newestJudgements(
    result,
    ({ author }) =>
      isTrusted(viewpoint, author) && author.createdAt < viewpoint.until && !isAfterEnd(viewpoint, author),
  );

/**
 * Makes a vote of each judgement. The opener's review of its own RESULT is no vote. Once someone has voted
 * on one, the opener has one vote for "confirmed".
 *
 *     opener confirmed, Ann (trusted) not confirmed      confirmed 2, not confirmed 1
 *     RESULT of the opener, Ann partly confirmed         partly confirmed 1, confirmed 1
 */
export function votesOf(
  judgements: ReadonlyMap<Writer | AuthoredStep, Judgement>,
  { author: { writer: ofResult } }: Result,
  { viewer, trusted }: Viewpoint,
): Vote[] {
  const votes = Array.from(judgements.values(), ({ author, outcome, since }): Vote => {
    const trustedSince = (author.writer && trusted.get(author.writer)) ?? '';
    return {
      outcome,
      weight: author.writer === viewer ? OPENER_WEIGHT : 1,
      since: since > trustedSince ? since : trustedSince,
    };
  });
  if (votes.length === 0 || ofResult === null || ofResult !== viewer) return votes;
  const [first] = votes.map(({ since }) => since).sort();
  return [...votes, { outcome: 'confirmed', weight: 1, since: first ?? '' }];
}

/**
 * Counts votes. The outcome with the most votes decides. In a tie the more careful one does, but a tie with
 * "not confirmed" makes the RESULT contested.
 *
 *     confirmed 2, not confirmed 1        confirmed
 *     confirmed 1, partly confirmed 1     partlyConfirmed
 *     confirmed 2, not confirmed 2        contested
 *
 * @returns undefined without a vote
 */
export function standingByVotes(votes: readonly Vote[]): Verdict['byVotes'] {
  const [refuting, partly, confirming] = JUDGING_OUTCOMES.map((outcome) =>
    votes.reduce((sum, vote) => sum + (vote.outcome === outcome ? vote.weight : 0), 0),
  ) as [number, number, number];
  const most = Math.max(refuting, partly, confirming);
  if (most === 0) return undefined;
  if (refuting === most) return partly === most || confirming === most ? 'contested' : 'refuted';
  return partly === most ? 'partlyConfirmed' : 'confirmed';
}

/**
 * @returns the time since which the votes have had their present outcome; undefined without a vote
 *
 *     opener confirmed at 10:00, Ann not confirmed at 10:20                         10:00
 *     Ann not confirmed at 10:00, Bob not at 10:10, opener confirmed at 10:20       contested since 10:20
 */
export function decidedSince(votes: readonly Vote[]): string | undefined {
  const ordered = votes.toSorted((a, b) => (a.since < b.since ? -1 : 1));
  const last = standingByVotes(ordered);
  const before = ordered.findLastIndex((_, index) => standingByVotes(ordered.slice(0, index + 1)) !== last);
  return ordered[before + 1]?.since;
}

/** How many votes must confirm a RESULT before the lists over all threads show it. */
export const MIN_VOTES = 2;

/**
 * @returns the time since which two votes have confirmed a RESULT; undefined while fewer do
 *
 *     opener confirmed at 10:00                          10:00
 *     Ann confirmed at 10:00, Bob confirmed at 10:20     10:20
 *     Ann confirmed at 10:00                             undefined
 */
export function confirmedSince(votes: readonly Vote[]): string | undefined {
  const confirming = votes.filter(({ outcome }) => outcome === 'confirmed');
  let sum = 0;
  return confirming
    .sort((a, b) => (a.since < b.since ? -1 : 1))
    .find(({ weight }) => (sum += weight) >= MIN_VOTES)?.since;
}
