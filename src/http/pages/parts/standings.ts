import type { Remarks, SaidOfResult, Signature } from '#work/say.ts';
import type { Standing } from '#work/thread.ts';
import { plural } from '#http/html/formats.ts';
import { toSearch } from './page.ts';
import { html, type Html } from '#http/html/html.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import type { StandingCounts } from '#workspace/reading/thread-list.ts';

/** In the order in which a reader needs them. */
const WORDS: Readonly<Record<Standing, string>> = {
  confirmed: 'confirmed',
  partlyConfirmed: 'partly confirmed',
  unreviewed: 'to review',
  reviewed: 'reviewed',
  contested: 'contested',
  refuted: 'not confirmed',
  replaced: 'replaced',
  withdrawn: 'withdrawn',
};

const ALL = Object.keys(WORDS) as readonly Standing[];

/** Those that a RESULT leaves only by a newer one or by its writer. */
const IN_BAR = ALL.filter((standing) => standing !== 'replaced' && standing !== 'withdrawn');

/** @returns the standing that an outcome gives: `partlyConfirmed` for `partly confirmed` */
export const standingOf = (outcome: NonNullable<Remarks['verdict']>['outcome']): Standing | undefined =>
  ALL.find((standing) => WORDS[standing] === outcome);

/** How a RESULT stands in words; empty for other messages. */
export const standingWords = ({ standing }: SaidOfResult): string =>
  standing === undefined ? '' : WORDS[standing];

/**
 * How a RESULT stands, in a frame, and what stands beside that; empty for other messages.
 * @param more words in the frame
 */
export function standingHtml(said: SaidOfResult, more?: Html): Html {
  const { standing } = said;
  if (standing === undefined) return html``;
  const beside = besideStanding(said).map((words) => html` <span class="who">${words}</span>`);
  return html` <span class="st ${standing}">${WORDS[standing]}${more}</span>${beside}`;
}

/** Standings that say themselves that REVIEWs differ, or that no REVIEW decides any longer. */
const ALONE: readonly SaidOfResult['standing'][] = ['contested', 'replaced', 'withdrawn'];

/** What REVIEWs say of a RESULT beside its standing, that its writer withdraws it, and its newer edition. */
export function besideStanding({ standing, others = [], newerEdition, withdrawn }: SaidOfResult): string[] {
  const outcomes = (ALONE.includes(standing) ? [] : others).flatMap(({ outcome }) => outcome ?? []);
  return [
    ...(withdrawn === undefined || standing === 'withdrawn' ? [] : ['withdrawn by its writer']),
    ...(outcomes.length === 0 ? [] : [`others say: ${outcomes.join(', ')}`]),
    ...(newerEdition === undefined ? [] : [`newer version: ${standingWords(newerEdition)}`]),
  ];
}

/** A REVIEW that stands beside a RESULT, with what it says in words. */
export interface Judge extends Omit<Signature, 'signer'> {
  /** Null without a key. */
  readonly signer?: string | null | undefined;
  readonly id: string;
  readonly name: string | null;
  readonly outcome: string;
}

/** @returns the REVIEWs that stand beside a RESULT, with what each says */
export function readJudges({ standing, checked = [], others = [] }: SaidOfResult): Judge[] {
  return [
    ...checked.map((one) => ({ ...one, outcome: standingWords({ standing }) })),
    ...others.map((one) => ({ ...one, outcome: `${one.outcome ?? 'reviewed'}${describeVoice(one)}` })),
  ];
}

/** The address of all REVIEWs of a RESULT, if a page shows some of them. */
export const moreReviews = (id: string, { more }: Pick<SaidOfResult, 'more'>): string | undefined =>
  more && `/feed${toSearch({ q: id, prefix: 'REVIEW' })}`;

/** What others say of a RESULT than its standing, each with an id, for Markdown. */
export const describeOthers = ({ others }: SaidOfResult): string[] =>
  readJudges({ others }).map((one) => `${one.outcome} by ${one.id}`);

/** Why a REVIEW does not decide, as far as its own words do not say it. */
function describeVoice(voice: NonNullable<SaidOfResult['others']>[number]): string {
  const { of, sinceEnd, distrusted, trusted } = voice;
  const words = [
    ...(of === undefined ? [] : ['about an earlier edition']),
    ...(sinceEnd === undefined ? [] : ['since the end']),
    ...(distrusted === undefined ? [] : ['distrusted here']),
    ...(trusted === undefined && distrusted === undefined ? ['not trusted here'] : []),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

const MAX_CELLS = 24;

/** `2 of 7 results confirmed`. */
export function describeConfirmed(counts: StandingCounts): string {
  const all = IN_BAR.reduce((sum, standing) => sum + (counts[standing] ?? 0), 0);
  return `${counts.confirmed ?? 0} of ${plural(all, 'result')} confirmed`;
}

/** `4 confirmed · 3 partly confirmed · 2 to review`; empty without RESULTs. */
export function describeStandings(counts: StandingCounts): string {
  return ALL.flatMap((standing) => {
    const count = counts[standing] ?? 0;
    return count === 0 ? [] : [`${count} ${WORDS[standing]}`];
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
