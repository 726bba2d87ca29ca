import type { Remarks } from '#work/message-view.ts';
import type { ShownStanding } from '#work/standing-view.ts';
import type { PartState, Standing } from '#work/model.ts';
import { plural } from './formats.ts';
import { html, type Html } from './html.ts';
import type { Progress } from '#workspace/reading/progress.ts';

type State = Standing | PartState;

/** How pages count parts, and RESULTs that are neither replaced nor withdrawn, in the order on pages. */
const COUNTED = {
  confirmed: 'confirmed',
  partlyConfirmed: 'partly confirmed',
  toReview: 'to review',
  unreviewed: 'to review',
  contested: 'contested',
  underWay: 'being worked on',
  refuted: 'not confirmed',
  free: 'no one on it',
} as const satisfies Partial<Record<State, string>>;

const STATES = Object.keys(COUNTED) as readonly (keyof typeof COUNTED)[];

const WORDS: Readonly<Record<State, string>> = {
  ...COUNTED,
  reviewed: 'reviewed',
  replaced: 'replaced',
  withdrawn: 'withdrawn',
};

/** @returns the standing that an outcome gives: `partlyConfirmed` for `partly confirmed` */
export const standingOf = (outcome: NonNullable<Remarks['verdict']>['outcome']): State | undefined =>
  (Object.keys(WORDS) as State[]).find((state) => WORDS[state] === outcome);

export const stateWords = (state: State): string => WORDS[state];

/** Returns the standing of a RESULT in words; empty for other messages. */
export const standingWords = ({ standing }: Pick<ShownStanding, 'standing'>): string =>
  standing === undefined ? '' : WORDS[standing];

/**
 * The standing of a RESULT in a frame, with the words of `besideStanding`; empty for other messages.
 * @param more words in the frame
 */
export function standingHtml(message: ShownStanding, more?: Html): Html {
  const { standing } = message;
  if (standing === undefined) return html``;
  const beside = besideStanding(message).map((words) => html` <span class="who">${words}</span>`);
  return html` <span class="st ${standing}">${WORDS[standing]}${more}</span>${beside}`;
}

/** Standings that already say that REVIEWs differ, or that REVIEWs no longer decide. */
const ALONE: readonly ShownStanding['standing'][] = ['contested', 'replaced', 'withdrawn'];

/** The outcomes of REVIEWs that differ from the standing of a RESULT, its withdrawal and newer edition. */
export function besideStanding({ standing, others = [], newerEdition, withdrawn }: ShownStanding): string[] {
  // An outcome for an earlier edition would read as a verdict on this one.
  const ofThis = ALONE.includes(standing) ? [] : others.filter(({ of }) => of === undefined);
  const outcomes = ofThis.flatMap(({ outcome }) => outcome ?? []);
  return [
    ...(withdrawn === undefined || standing === 'withdrawn' ? [] : ['withdrawn by its writer']),
    ...(outcomes.length === 0 ? [] : [`others say: ${outcomes.join(', ')}`]),
    ...(newerEdition === undefined ? [] : [`newer version: ${standingWords(newerEdition)}`]),
  ];
}

/** Writes the REVIEWs of a RESULT for Markdown. Those that agree with its standing come first. */
export const reviewsMarkdown = ({ standing, checked = [], others = [] }: ShownStanding): string[] => [
  ...checked.map(({ id }) => `${standingWords({ standing })} by ${id}`),
  ...others.map((review) => `${review.outcome ?? 'reviewed'}${describeVoice(review)} by ${review.id}`),
];

type Voice = Pick<NonNullable<ShownStanding['others']>[number], 'of' | 'sinceEnd' | 'distrusted' | 'trusted'>;

/** Says why a REVIEW does not decide, unless the words of the REVIEW say so. */
export function describeVoice({ of, sinceEnd, distrusted, trusted }: Voice): string {
  const words = [
    of !== undefined && 'about an earlier edition',
    sinceEnd !== undefined && 'since the end',
    distrusted !== undefined && 'distrusted here',
    trusted === undefined && distrusted === undefined && 'not trusted here',
  ].filter(Boolean);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** @returns the state of each part or RESULT, in the order that is most useful to a reader */
export const statesOf = ({ counts }: Progress): (typeof STATES)[number][] =>
  STATES.flatMap((state) => Array.from({ length: counts[state] ?? 0 }, () => state));

/** `2 of 7 results confirmed`, or `2 of 5 parts confirmed`. */
export const describeConfirmed = (progress: Progress): string =>
  `${progress.counts.confirmed ?? 0} of ${plural(statesOf(progress).length, progress.unit)} confirmed`;

/** `3 of 5 parts confirmed, 1 partly confirmed, 1 being worked on`; empty without parts and RESULTs. */
export function describeProgress(progress: Progress): string {
  const states = new Set(statesOf(progress));
  if (states.size === 0) return '';
  states.delete('confirmed');
  const others = Array.from(states, (state) => {
    const count = progress.counts[state];
    return `${count} ${state === 'free' ? `with no one on ${count === 1 ? 'it' : 'them'}` : WORDS[state]}`;
  });
  return [describeConfirmed(progress), ...others].join(', ');
}

const MAX_CELLS = 24;

/** Draws a cell for each part or RESULT; undefined if there are none. */
export function barHtml(progress: Progress): Html | undefined {
  const cells = statesOf(progress).slice(0, MAX_CELLS);
  if (cells.length === 0) return undefined;
  return html`<span class="bar" aria-hidden="true">${cells.map((state) => html`<i class="${state}"></i>`)}</span>`;
}
