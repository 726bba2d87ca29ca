import type { CountedRecord, Timestamp } from '#store/port/records.ts';
import type { Alternatives, TextBudget } from '#message/words.ts';

/**
 * Compares candidates in order, until `limit` of them match or the budget is spent.
 * @returns those that match, and the number of those that were compared
 */
export async function compareTexts(
  candidates: readonly CountedRecord<'post'>[],
  limit: number,
  budget: TextBudget,
  words: readonly string[],
  any: Alternatives = [],
): Promise<{ matching: CountedRecord<'post'>[]; compared: number }> {
  const matching: CountedRecord<'post'>[] = [];
  let compared = 0;
  for (const candidate of candidates) {
    if (matching.length === limit || budget.isSpent) break;
    if (budget.isSliceOver) await budget.nextSlice();
    if (budget.holdsWords(candidate.record, words, any)) matching.push(candidate);
    compared += 1;
  }
  return { matching, compared };
}

/** @returns the time of the last one; null without any */
export function endOf(items: readonly CountedRecord<'post'>[]): Timestamp | null {
  return items.at(-1)?.record.createdAt ?? null;
}
