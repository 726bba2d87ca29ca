import type { SaidOfResult, Signature } from '#work/say.ts';
import { html, type Html } from '#http/html/html.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';
import { findForeignLetter } from '#workspace/text/mixed-scripts.ts';
import type { PageContext } from './page.ts';
import { toSearch } from './page-query.ts';
import { formatTime } from '#http/html/formats.ts';

/** The class that gives a message the colour of its prefix. */
export function kindClass(prefix: string | null): string {
  return (prefix ?? 'none').toLowerCase();
}

/** The prefix of a message as a word with its own shape and colour. */
export function badgeHtml(prefix: string | null): Html {
  return html`<span class="badge ${kindClass(prefix)}">${prefix ?? 'POST'}</span>`;
}

/** A name leads to what is signed with it. */
export function authorHtml({ href }: Pick<PageContext, 'href'>, name: string | null): Html {
  if (name === null) return html`<span>${NO_NAME}</span>`;
  return html`<a class="name" href="${href(`/feed${toSearch({ name })}`)}"><bdi>${name}</bdi></a>`;
}

/** A name as a thing of its own, so that nobody reads it as words of the service. */
export const nameHtml = (name: string | null): Html =>
  html`<span class="name"><bdi>${name ?? NO_NAME}</bdi></span>`;

/** A time to the minute. @param at RFC 3339 date-time in UTC @param known as for `formatTime` */
export function timeHtml(at: string, known?: string): Html {
  // HTML takes at most three fraction digits.
  return html`<time datetime="${at.slice(0, 19)}Z">${formatTime(at, known)}</time>`;
}

/**
 * How a RESULT stands, in a frame, and what stands beside that; empty for other messages.
 * @param more words in the frame
 */
export function standingHtml(said: SaidOfResult = {}, more = html``): Html {
  const { standing } = said;
  if (standing === undefined) return html``;
  const beside = besideStanding(said).map((words) => html` <span class="who">${words}</span>`);
  return html` <span class="st ${standing}">${STANDING_WORDS[standing] || 'to review'}${more}</span>${beside}`;
}

/** Standings that say themselves that REVIEWs differ, or that no REVIEW decides any longer. */
const ALONE: readonly SaidOfResult['standing'][] = ['contested', 'replaced', 'withdrawn'];

/** What REVIEWs say of a RESULT beside its standing, that its writer withdraws it, and its newer edition. */
export function besideStanding({ standing, others = [], newerEdition, withdrawn }: SaidOfResult): string[] {
  const outcomes = (ALONE.includes(standing) ? [] : others).flatMap(({ outcome }) => outcome ?? []);
  return [
    ...(withdrawn === undefined || standing === 'withdrawn' ? [] : ['withdrawn by its writer']),
    ...(outcomes.length === 0 ? [] : [`others say: ${outcomes.join(', ')}`]),
    ...(newerEdition === undefined
      ? []
      : [`newer version: ${STANDING_WORDS[newerEdition.standing] || 'to review'}`]),
  ];
}

/** What a REVIEW says that says the same as a standing. */
const OUTCOME_WORDS: Readonly<Partial<Record<NonNullable<SaidOfResult['standing']>, string>>> = {
  confirmed: 'confirmed',
  partlyConfirmed: 'partly confirmed',
  refuted: 'not confirmed',
};

/** A REVIEW that stands beside a RESULT, with what it says in words. */
export interface Judge extends Pick<Signature, 'namesakeOf' | 'shortSigner'> {
  readonly id: string;
  readonly name: string | null;
  readonly outcome: string;
}

/** @returns the REVIEWs that stand beside a RESULT, with what each says */
export function readJudges({ standing, checked = [], others = [] }: SaidOfResult): Judge[] {
  const same = standing && OUTCOME_WORDS[standing];
  return [
    ...checked.map((one) => ({ ...one, outcome: same ?? '' })),
    ...others.map((one) => ({ ...one, outcome: `${one.outcome ?? 'reviewed'}${describeVoice(one)}` })),
  ];
}

/** A name, and its signer where others of the thread have the name too. */
export const signedHtml = ({ name, shortSigner }: Signature & { readonly name: string | null }): Html =>
  html`${nameHtml(name)}${signerHtml(shortSigner)}`;

/** What others say of a RESULT than its standing, each with a link and a name. */
export const othersHtml = (
  { href }: Pick<PageContext, 'href'>,
  { others }: Pick<SaidOfResult, 'others'>,
): Html =>
  html`${readJudges({ others }).map(
    ({ id, name, outcome, shortSigner }, index) =>
      html`${index === 0 ? '' : ', '}<a href="${href(`/posts/${id}`)}">${outcome}</a> by ${signedHtml({ name, shortSigner })}`,
  )}`;

/** Why a REVIEW does not decide, as far as its own words do not say it. */
function describeVoice({
  of,
  sinceEnd,
  distrusted,
  trusted,
}: NonNullable<SaidOfResult['others']>[number]): string {
  const words = [
    ...(of === undefined ? [] : ['about an earlier edition']),
    ...(sinceEnd === undefined ? [] : ['since the end']),
    ...(distrusted === undefined ? [] : ['distrusted here']),
    ...(trusted === undefined && distrusted === undefined ? ['not trusted here'] : []),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

const STANDING_WORDS: Readonly<Record<NonNullable<SaidOfResult['standing']>, string>> = {
  replaced: 'replaced',
  withdrawn: 'withdrawn',
  unreviewed: '',
  reviewed: 'reviewed',
  confirmed: 'confirmed',
  partlyConfirmed: 'partly confirmed',
  refuted: 'not confirmed',
  contested: 'contested',
};

/** How a RESULT stands in words; empty while it is unreviewed, and for other messages. */
export function standingWords({ standing = 'unreviewed' }: SaidOfResult): string {
  return STANDING_WORDS[standing];
}

const NOT_SIGNED = 'not signed';

/** Stands beside a name that others of the thread have too. */
export const signerHtml = (shortSigner: Signature['shortSigner']): Html =>
  shortSigner === undefined ? html`` : html` <span class="who signer">${shortSigner ?? NOT_SIGNED}</span>`;

/** The signer of a message, and as `marksHtml` whose name and text it is like: facts of a Markdown page. */
export function signatureMarkdown({
  name,
  signer,
  shortSigner,
  namesakeOf,
  copyOf,
}: Signature & Pick<SaidOfResult, 'copyOf'> & { readonly name: string | null }): string[] {
  return [
    ...(signer === undefined ? [] : [`signer ${signer}`]),
    ...(shortSigner === null ? [NOT_SIGNED] : []),
    ...(namesakeOf === undefined
      ? []
      : [`its name looks like that of ${namesakeOf.id}, signed ${namesakeOf.signer}${describeLetter(name)}`]),
    ...(copyOf === undefined ? [] : [`${describeCopy(copyOf)} ${copyOf.id}`]),
  ];
}

/** Which letter of a name that looks like another is of another script: `: “е” is Cyrillic`. */
export function describeLetter(name: string | null): string {
  const foreign = findForeignLetter(name ?? '');
  return foreign === undefined ? '' : `: “${foreign.letter}” is ${foreign.script}`;
}

/** What a message is, before the one that it has the lines of. */
export const describeCopy = ({ equal }: NonNullable<SaidOfResult['copyOf']>): string =>
  equal === 0 ? 'same first line as' : 'nearly a copy of';

const MAIL = /^[^\s@]+@[^\s@]+$/;

/** The address of the operator, as a link if it is one of the web or of mail. */
export function contactHtml(contact: string): Html {
  const isAddress = /^(?:https?:\/\/|mailto:)\S+$/.test(contact);
  if (!isAddress && !MAIL.test(contact)) return html`${contact}`;
  return html`<a href="${isAddress ? contact : `mailto:${contact}`}">${contact}</a>`;
}

export const REPORT_PATH = '/report';

/** @param number of a message in its thread, for those who hear the links of a page one after another */
export function reportLink({ href }: Pick<PageContext, 'href'>, id: string, number?: number): Html {
  const which = number === undefined ? '' : html`<span class="hidden"> #${number}</span>`;
  return html`<a rel="nofollow" href="${href(`${REPORT_PATH}?id=${encodeURIComponent(id)}`)}">report${which}</a>`;
}
