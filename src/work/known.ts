import type { Step } from '#message/step.ts';
import type { Result, Standing, View, Word } from './thread.ts';
import { viewOfOpener } from './trusted.ts';
import { isShown, judge, opinionsOn, type Opinion } from './verdicts.ts';
import { decidedSince, votesOf } from './votes.ts';
import { isSameWriter } from './writers.ts';

/** How a RESULT stands in a view of its thread, and who says so. */
export interface KnownResult {
  readonly result: Result;
  readonly standing: Standing;
  /** Since when what counts now says so. */
  readonly since: string;
  /** The edition that replaces it. */
  readonly replacedBy: Result | undefined;
  /** The REVIEW by which its writer withdraws it. */
  readonly withdrawn: Step | undefined;
  /** A newer edition that does not replace it yet. */
  readonly newerEdition: KnownEdition | undefined;
  /** The REVIEWs of trusted signers that say the same, at most three, the lead's first. */
  readonly checked: readonly Word[];
  /** The newest REVIEW of each other outcome. */
  readonly others: readonly Opinion[];
  /** Whether there are REVIEWs that neither list has. */
  readonly more: boolean;
}

interface KnownEdition {
  readonly result: Result;
  readonly standing: Standing;
}

/**
 * Tells how a RESULT stands and who says so: the one value that is shown of it everywhere.
 * @example #2 RESULT; #3 "confirmed" by the opener; #4 "not confirmed" by a stranger
 *   `knownOf(result)` is `{ standing: 'confirmed', since: <time of #3>, checked: [#3], others: [#4], … }`
 * @param view of its thread; that of the opener without it
 */
export function knownOf(result: Result, view: View = viewOfOpener(result.thread)): KnownResult {
  const verdict = judge(result, view);
  const { standing, replacedBy, withdrawal, newerEdition } = verdict;
  return {
    result,
    standing,
    since: sinceOf(result, view),
    replacedBy: replacedBy && isShown(replacedBy) ? replacedBy : undefined,
    withdrawn: withdrawal,
    newerEdition:
      newerEdition && isShown(newerEdition)
        ? { result: newerEdition, standing: judge(newerEdition, view).standing }
        : undefined,
    ...opinionsOn(result, view),
  };
}

/** @returns when the newest of what counts now for the standing of a RESULT came */
function sinceOf(result: Result, view: View): string {
  const { standing, byVotes, words, replacedBy, withdrawal } = judge(result, view);
  const { createdAt } = result.step;
  if (standing === 'replaced' && replacedBy !== undefined) {
    const edition = judge(replacedBy, view);
    // An edition replaces what holds once it holds as well.
    const isEqual = byVotes === 'confirmed' || byVotes === 'partlyConfirmed';
    const held = isEqual ? decidedSince(votesOf(edition.words, replacedBy, view)) : undefined;
    return held ?? replacedBy.step.createdAt;
  }
  if (standing === 'withdrawn') return withdrawal?.createdAt ?? createdAt;
  if (standing === 'reviewed') {
    const first = result.judgements.find((one) => isShown(one) && !isSameWriter(one.author, result.author));
    return first?.step.createdAt ?? createdAt;
  }
  return decidedSince(votesOf(words, result, view)) ?? createdAt;
}
