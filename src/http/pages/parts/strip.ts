import type { Standing } from '#work/thread.ts';
import { html, type Html } from '#http/html/html.ts';
import { kindClass } from './byline.ts';
import type { TailMessage } from '#workspace/reading/thread-list.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import type { StandingCounts } from '#workspace/reading/thread-list.ts';

// A thread at a glance.

/** A shorter thread is seen without a strip. */
const MIN_MESSAGES = 4;
const MAX_MARKS = 60;

/** What so many RESULTs are called, in the order in which a reader needs them. */
const STANDING_WORDS: readonly (readonly [Standing, string])[] = [
  ['confirmed', 'confirmed'],
  ['partly', 'in part'],
  ['unreviewed', 'to review'],
  ['contested', 'contested'],
  ['notConfirmed', 'not confirmed'],
  ['replaced', 'replaced'],
  ['withdrawn', 'withdrawn'],
];

/** `4 confirmed · 3 in part · 2 to review`; empty without RESULTs. */
export function describeStandings(counts: StandingCounts): string {
  return wordsOf(counts)
    .map(([, words]) => words)
    .join(' · ');
}

/** The same, each in the frame of its standing. */
export function standingsHtml(counts: StandingCounts): Html {
  const words = wordsOf(counts);
  if (words.length === 0) return html``;
  return html`<p class="standings">${words.map(
    ([standing, word]) => html`<span class="st ${standing}">${word}</span> `,
  )}</p>\n`;
}

const wordsOf = (counts: StandingCounts): [Standing, string][] =>
  STANDING_WORDS.flatMap(([standing, words]) => {
    const count = counts[standing] ?? 0;
    return count === 0 ? [] : [[standing, `${count} ${words}`]];
  });

/**
 * A mark for each message, in the shape of its kind, that of a RESULT in the shape of its standing.
 * @param tail the newest messages of a thread, oldest first
 * @param size its messages in all
 */
export function stripHtml(tail: readonly TailMessage[], size: number): Html {
  if (tail.length < MIN_MESSAGES) return html``;
  const shown = tail.slice(-MAX_MARKS);
  const earlier = size - shown.length;
  const marks = shown.map(
    ({ prefix, standing = '' }) => html`<i class="${`${kindClass(prefix)} ${standing}`.trim()}"></i>`,
  );
  const counts: Partial<Record<Standing, number>> = {};
  for (const { standing } of shown)
    if (standing !== undefined) counts[standing] = (counts[standing] ?? 0) + 1;
  const standings = describeStandings(counts);
  const label =
    (earlier > 0 ? `The newest ${shown.length}: ` : '') +
    countKinds(shown.map(({ prefix }) => prefix)) +
    (standings === '' ? '' : ` (${standings})`);
  return html`<p class="strip" role="img" aria-label="${label} in order of time">${
    earlier > 0 ? `${earlier} earlier ` : ''
  }${marks}</p>\n`;
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
