import type { Result, AuthoredStep, Verdict, View, Judgement } from './thread.ts';
import { isSameWriter, type Author, type Writer } from './writers.ts';

/** What a REVIEW may say of a RESULT, the most careful first. */
export const JUDGING: readonly Judgement['outcome'][] = ['not confirmed', 'partly confirmed', 'confirmed'];

/**
 * Finds the newest judgement of each writer about a RESULT. A REVIEW without outcome or evidence is none, nor
 * is one by the writer of the RESULT. A REVIEW "withdrawn" takes the earlier judgement of its writer back.
 *
 *     Ann confirmed, Bob partly confirmed, Ann not confirmed    Ann not confirmed, Bob partly confirmed
 *     Ann confirmed, Ann withdrawn                              no judgement
 *
 * @param counts which REVIEWs count
 * @returns by writer, in the order of time; each judgement without a key has a writer of its own
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
 * Whether a trusted signer wrote a message. The opener is one.
 * @example the opener confirms a RESULT of Bob: true of what Bob has signed, false of a message without a key
 */
export const isTrusted = ({ trusted }: Pick<View, 'trusted'>, { writer }: Author): boolean =>
  writer !== null && trusted.has(writer);

/**
 * @returns whether a REVIEW comes after the opener has ended the IDEA that begins the thread; never of one by the
 *   opener, whose REVIEWs go on counting
 * @example #4 "Ends: #1" by the opener; #5 REVIEW by Ann, #6 REVIEW by the opener: true of #5 alone
 */
export const isSinceEnd = ({ opener, endedAt }: View, { writer, createdAt }: Author): boolean =>
  endedAt !== undefined && createdAt > endedAt && writer !== opener;

/** The votes of the opener, or of the signer in its place. Texts say "twice" and "two votes". */
const OPENER_WEIGHT = 2;

/** What a trusted signer says of a RESULT. */
export interface Vote {
  readonly outcome: Judgement['outcome'];
  /** Two of the opener, one of anybody else. */
  readonly weight: number;
  /** The later of its judgement and the message that let its signer in. */
  readonly since: string;
}

/**
 * The votes of some judgements. The opener has one on its own RESULT, once another one has voted.
 *
 *     opener confirmed, Ann (trusted) not confirmed      confirmed 2, not confirmed 1
 *     RESULT of the opener, Ann partly confirmed         partly confirmed 1, confirmed 1
 */
export function votesOf(
  judgements: ReadonlyMap<Writer | AuthoredStep, Judgement>,
  { author: { writer: ofResult } }: Result,
  { opener, trusted }: View,
): Vote[] {
  const votes = Array.from(judgements.values(), ({ author, outcome, since }): Vote => {
    const letIn = (author.writer && trusted.get(author.writer)) ?? '';
    return {
      outcome,
      weight: author.writer === opener ? OPENER_WEIGHT : 1,
      since: since > letIn ? since : letIn,
    };
  });
  if (votes.length === 0 || ofResult === null || ofResult !== opener) return votes;
  const [first] = votes.map(({ since }) => since).sort();
  return [...votes, { outcome: 'confirmed', weight: 1, since: first ?? '' }];
}

/**
 * Counts votes: what most of them say holds, and of a tie the more careful.
 *
 *     confirmed 2, not confirmed 1        confirmed
 *     confirmed 1, partly confirmed 1     partlyConfirmed
 *     confirmed 2, not confirmed 2        contested
 *
 * @returns undefined without a vote
 */
export function standingByVotes(votes: readonly Vote[]): Verdict['byVotes'] {
  const [refuting, partly, confirming] = JUDGING.map((outcome) =>
    votes.reduce((sum, vote) => sum + (vote.outcome === outcome ? vote.weight : 0), 0),
  ) as [number, number, number];
  const most = Math.max(refuting, partly, confirming);
  if (most === 0) return undefined;
  if (refuting === most) return partly === most || confirming === most ? 'contested' : 'refuted';
  return partly === most ? 'partlyConfirmed' : 'confirmed';
}

/**
 * @returns since when the votes that count now say what they say; undefined without a vote
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

/** Votes that a RESULT needs for the lists over all threads. */
const MIN_VOTES = 2;

/**
 * @returns since when two votes have said that a RESULT is confirmed; undefined while fewer do
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
