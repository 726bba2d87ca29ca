import { wasKeySent } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type * as z from 'zod';
import type { ResultReviews, ResultStanding } from '#workspace/schemas/post.ts';
import { toSignature, type Signature, type Signed } from './authors.ts';
import type { Derivation } from './derive-work.ts';
import type { Standing } from './work-model.ts';
import { findOriginal, findTwin, type Resemblance } from './resemblance.ts';
import { correctionsOf, judge } from './standing.ts';

const MAX_CORRECTIONS = 5;

/** @returns the signature of a message; of one older than the newest steps only a mark whose key was sent */
export function signatureOf(work: Derivation, message: Signed): Signature {
  if (!work.isCut || message.createdAt >= (work.oldest?.createdAt ?? ''))
    return toSignature(work.authorOf(message));
  return message.mark !== undefined && wasKeySent(message.mark) ? { mark: message.mark } : {};
}

export type SaidOfResult = z.infer<typeof ResultStanding>;

/** @returns what a RESULT or IDEA resembles */
export function readResemblance(work: Derivation, id: string): Resemblance | undefined {
  const idea = work.ideas.get(id);
  if (idea !== undefined) return findTwin(idea);
  const result = work.results.get(id);
  return result && findOriginal(result);
}

/** @returns the standing of a RESULT, and what a RESULT or IDEA resembles, without empty members */
export function readStanding(work: Derivation, id: string): SaidOfResult {
  const result = work.results.get(id);
  const resembles = readResemblance(work, id);
  if (result === undefined) return resembles === undefined ? {} : { resembles };
  const { standing, reasons, more, reviewed } = judge(result);
  const corrections = correctionsOf(result).slice(0, MAX_CORRECTIONS);
  return {
    standing,
    ...(reasons.length > 0 && { because: reasons.map(({ step, outcome }) => ({ id: step.id, outcome })) }),
    ...(more && { more }),
    ...(reviewed.confirmed + reviewed.partly + reviewed.not > 0 && { reviewed }),
    ...(corrections.length > 0 && {
      correctedBy: corrections.map(({ step, standing: its }) => ({ id: step.id, standing: its })),
    }),
    ...(resembles && { resembles }),
  };
}

/** @returns as `readStanding`, with the REVIEWs behind it; none of a RESULT older than the newest steps */
export function readReviews(work: Derivation, id: string): z.infer<typeof ResultReviews> {
  const result = work.results.get(id);
  const reasons = result === undefined ? [] : judge(result).reasons;
  return {
    ...readStanding(work, id),
    reviews: reasons.flatMap(({ step, outcome }) => {
      if (outcome === 'replaced') return [];
      const { id: review, name, createdAt } = step;
      return [
        {
          id: review,
          name,
          ...signatureOf(work, step),
          outcome,
          createdAt,
        },
      ];
    }),
  };
}

/** @returns the standing of a RESULT; undefined for any other message */
export function standingOf(work: Derivation, id: string): Standing | undefined {
  const result = work.results.get(id);
  return result && judge(result).standing;
}

/** The number of RESULTs of each standing, without zeros. */
export type StandingCounts = Readonly<Partial<Record<Standing, number>>>;

/** @returns by thread the standings of its RESULTs among the newest steps */
export async function countStandings(
  work: Derivation,
  threads: readonly string[],
): Promise<ReadonlyMap<string, StandingCounts>> {
  const counts = new Map<string, Partial<Record<Standing, number>>>(threads.map((id) => [id, {}]));
  const results = threads.flatMap((id) => work.resultsIn(id));
  await visitInSlices(results, (result) => {
    const ofThread = counts.get(result.step.rootId) ?? {};
    const { standing } = judge(result);
    ofThread[standing] = (ofThread[standing] ?? 0) + 1;
  });
  return counts;
}
