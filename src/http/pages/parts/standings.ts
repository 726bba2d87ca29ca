import type { Remarks } from '#work/message-view.ts';
import type { ShownStanding, Signature } from '#work/standing-view.ts';
import type { PartState, Standing } from '#work/thread.ts';
import { plural } from '#http/html/formats.ts';
import { toSearch } from './page.ts';
import { html, type Html } from '#http/html/html.ts';
import type { Progress } from '#workspace/reading/progress.ts';

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

/** What a part or a RESULT counts as, if no newer one and not its writer has taken it away. */
const CELLS: readonly (keyof Progress['counts'])[] = [
  'confirmed',
  'partlyConfirmed',
  'toReview',
  'unreviewed',
  'contested',
  'underWay',
  'refuted',
  'free',
];

/** @returns the standing that an outcome gives: `partlyConfirmed` for `partly confirmed` */
export const standingOf = (outcome: NonNullable<Remarks['verdict']>['outcome']): Standing | undefined =>
  ALL.find((standing) => WORDS[standing] === outcome);

/** How a RESULT stands in words; empty for other messages. */
export const standingWords = ({ standing }: Pick<ShownStanding, 'standing'>): string =>
  standing === undefined ? '' : WORDS[standing];

/**
 * How a RESULT stands, in a frame, and what stands beside that; empty for other messages.
 * @param more words in the frame
 */
export function standingHtml(said: ShownStanding, more?: Html): Html {
  const { standing } = said;
  if (standing === undefined) return html``;
  const beside = besideStanding(said).map((words) => html` <span class="who">${words}</span>`);
  return html` <span class="st ${standing}">${WORDS[standing]}${more}</span>${beside}`;
}

/** Standings that say themselves that REVIEWs differ, or that no REVIEW decides any longer. */
const ALONE: readonly ShownStanding['standing'][] = ['contested', 'replaced', 'withdrawn'];

/** What REVIEWs say of a RESULT beside its standing, that its writer withdraws it, and its newer edition. */
export function besideStanding({ standing, others = [], newerEdition, withdrawn }: ShownStanding): string[] {
  // What is said of an earlier edition would read as a verdict on this one.
  const ofThis = ALONE.includes(standing) ? [] : others.filter(({ of }) => of === undefined);
  const outcomes = ofThis.flatMap(({ outcome }) => outcome ?? []);
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
export function readJudges({ standing, checked = [], others = [] }: ShownStanding): Judge[] {
  return [
    ...checked.map((one) => ({ ...one, outcome: standingWords({ standing }) })),
    ...others.map((one) => ({ ...one, outcome: `${one.outcome ?? 'reviewed'}${describeVoice(one)}` })),
  ];
}

/** The address of all REVIEWs of a RESULT, if a page shows some of them. */
export const moreReviews = (id: string, { more }: Pick<ShownStanding, 'more'>): string | undefined =>
  more && `/feed${toSearch({ q: id, prefix: 'REVIEW' })}`;

/** Why a REVIEW does not decide, as far as its own words do not say it. */
export function describeVoice(
  voice: Pick<NonNullable<ShownStanding['others']>[number], 'of' | 'sinceEnd' | 'distrusted' | 'trusted'>,
): string {
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

/** `2 of 7 results confirmed`, or of parts. */
export function describeConfirmed({ unit, counts }: Progress): string {
  const all = CELLS.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  return `${counts.confirmed ?? 0} of ${plural(all, unit)} confirmed`;
}

/** States of parts that no RESULT has. */
const PART_WORDS = { toReview: 'to review', underWay: 'being worked on', free: 'nobody on it' } as const;

export const stateWords = (state: Standing | PartState): string =>
  state in PART_WORDS ? PART_WORDS[state as keyof typeof PART_WORDS] : WORDS[state as Standing];

/** `3 of 5 parts confirmed, 1 partly confirmed, 1 being worked on`; empty without parts and RESULTs. */
export function describeProgress(progress: Progress): string {
  const { counts } = progress;
  const others = CELLS.filter((state) => state !== 'confirmed').flatMap((state) => {
    const { [state]: count = 0 } = counts;
    const words = state === 'free' ? `with nobody on ${count === 1 ? 'it' : 'them'}` : stateWords(state);
    return count === 0 ? [] : [`${count} ${words}`];
  });
  const isEmpty = others.length === 0 && (counts.confirmed ?? 0) === 0;
  return isEmpty ? '' : [describeConfirmed(progress), ...others].join(', ');
}

/** `2 of 7 parts confirmed` and a cell for each; undefined without parts and RESULTs. */
export function barHtml(progress: Progress): Html | undefined {
  const cells = cellsHtml(progress);
  return cells && html`${describeConfirmed(progress)}${cells}`;
}

/** A cell for each part or RESULT; undefined without any. */
export function cellsHtml({ counts }: Progress): Html | undefined {
  const cells = CELLS.flatMap((state) => Array.from({ length: counts[state] ?? 0 }, () => state));
  if (cells.length === 0) return undefined;
  return html`<span class="bar" aria-hidden="true">${cells
    .slice(0, MAX_CELLS)
    .map((state) => html`<i class="${state}"></i>`)}</span>`;
}
