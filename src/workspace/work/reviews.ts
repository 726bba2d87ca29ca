import { wasKeySent } from '#message/step.ts';
import { inSlices } from '#runtime/slice.ts';
import type * as z from 'zod';
import type { ResultReviews, ResultStanding } from '#workspace/schemas/post.ts';
import { toSignature, type Signature, type Signed } from './authors.ts';
import type { Derivation, Standing } from './derive-work.ts';
import { correctionsOf, findOriginal, findTwin, judge, type Resemblance } from './standing.ts';

const MAX_CORRECTIONS = 5;

/** @returns what stands beside the name of a message. Of one older than the newest steps less is known. */
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

/** @returns how a RESULT stands, and what a RESULT or IDEA resembles, without what is empty */
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

/** @returns the same, and the REVIEWs that it rests on; none of a RESULT that is older than the newest steps */
export function readReviews(work: Derivation, id: string): z.infer<typeof ResultReviews> {
  const result = work.results.get(id);
  const reasons = result === undefined ? [] : judge(result).reasons;
  return {
    ...readStanding(work, id),
    reviews: reasons.flatMap(({ step, outcome }) => {
      if (outcome === 'replaced') return [];
      const { id: review, name, createdAt } = step;
      return [{ id: review, name, ...signatureOf(work, step), outcome, createdAt }];
    }),
  };
}

/** @returns how a RESULT stands; undefined for another message */
export function standingOf(work: Derivation, id: string): Standing | undefined {
  const result = work.results.get(id);
  return result && judge(result).standing;
}

/** How many RESULTs have each standing, without those that none has. */
export type StandingCounts = Readonly<Partial<Record<Standing, number>>>;

/** @returns by thread how its RESULTs stand, of the newest steps */
export async function countStandings(
  work: Derivation,
  threads: readonly string[],
): Promise<ReadonlyMap<string, StandingCounts>> {
  const counts = new Map<string, Partial<Record<Standing, number>>>(threads.map((id) => [id, {}]));
  const results = threads.flatMap((id) => work.resultsIn(id));
  for await (const result of inSlices(results)) {
    const ofThread = counts.get(result.step.rootId) ?? {};
    const { standing } = judge(result);
    ofThread[standing] = (ofThread[standing] ?? 0) + 1;
  }
  return counts;
}
