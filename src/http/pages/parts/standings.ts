import type { Standing } from '#work/thread.ts';
import { plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import type { StandingCounts } from '#workspace/reading/thread-list.ts';

/** What so many RESULTs are called, in the order in which a reader needs them. */
const STANDING_WORDS: readonly (readonly [Standing, string])[] = [
  ['confirmed', 'confirmed'],
  ['partlyConfirmed', 'partly confirmed'],
  ['unreviewed', 'to review'],
  ['contested', 'contested'],
  ['refuted', 'not confirmed'],
  ['replaced', 'replaced'],
  ['withdrawn', 'withdrawn'],
];

/** The standings of RESULTs that their writers have not taken back. */
const IN_BAR = STANDING_WORDS.slice(0, -2).map(([standing]) => standing);

const MAX_CELLS = 24;

/** `2 of 7 results confirmed`. */
export function describeConfirmed(counts: StandingCounts): string {
  const all = IN_BAR.reduce((sum, standing) => sum + (counts[standing] ?? 0), 0);
  return `${counts.confirmed ?? 0} of ${plural(all, 'result')} confirmed`;
}

/** `4 confirmed · 3 in part · 2 to review`; empty without RESULTs. */
export function describeStandings(counts: StandingCounts): string {
  return STANDING_WORDS.flatMap(([standing, words]) => {
    const count = counts[standing] ?? 0;
    return count === 0 ? [] : [`${count} ${words}`];
  }).join(' · ');
}

/** `2 of 7 confirmed` and a cell for each; undefined without RESULTs. */
export function barHtml(counts: StandingCounts): Html | undefined {
  const cells = IN_BAR.flatMap((standing) => Array.from({ length: counts[standing] ?? 0 }, () => standing));
  if (cells.length === 0) return undefined;
  return html`${counts.confirmed ?? 0} of ${cells.length} confirmed<span class="bar" aria-hidden="true">${cells
    .slice(0, MAX_CELLS)
    .map((standing) => html`<i class="${standing}"></i>`)}</span>`;
}

/** `2 WORK, 7 RESULT, 3 without a prefix`. */
export function countKinds(kinds: readonly (string | null)[]): string {
  return [...PREFIXES, null]
    .flatMap((prefix) => {
      const count = kinds.filter((kind) => kind === prefix).length;
      return count === 0 ? [] : [`${count} ${prefix ?? 'without a prefix'}`];
    })
    .join(', ');
}
