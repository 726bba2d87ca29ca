import type { Remarks, SameKey } from '#work/message-view.ts';
import type { ShownStanding, Signature } from '#work/standing-view.ts';
import { html, type Html } from '#http/html/html.ts';
import { shortId, type Numbers } from '#http/html/record-labels.ts';
import { findForeignLetter } from '#workspace/text/mixed-scripts.ts';
import type { Mentions } from '#workspace/reading/views.ts';
import { nameHtml } from './byline.ts';
import type { PageContext } from './page.ts';
import { standingOf } from '#http/html/standings.ts';

/** How a page names other messages and links to them. */
export interface References {
  /** The number of a message in its thread; undefined for a message that is not here. */
  readonly numberOf: (id: string) => number | undefined;
  /** The URL of a message; undefined for one that is not visible. */
  readonly toHref: (id: string) => string | undefined;
}

/** @param names of a list, where each message links to its own page */
export function toReferences({ href }: Pick<PageContext, 'href'>, { numbers, heads }: Mentions): References {
  return {
    numberOf: (id) => numbers.get(id),
    toHref: (id) => (heads.has(id) ? href(`/posts/${id}`) : undefined),
  };
}

/** @returns the numbers of the messages in the same thread that a message names, by id */
export const numbersOf = (
  { refersTo }: { readonly refersTo: readonly string[] },
  { numberOf }: References,
): Numbers => Object.fromEntries(refersTo.map((id) => [id, numberOf(id)]));

/**
 * `#13`, as a link but in a `summary`, which is a control itself.
 * @param words in place of an unknown number
 */
export function numberHtml(
  id: string,
  { numberOf, toHref }: References,
  isLinked = true,
  words = 'another message',
): Html {
  const number = numberOf(id);
  const target = isLinked ? toHref(id) : undefined;
  const label = html`${number === undefined ? words : `#${number}`}`;
  return target === undefined ? label : html`<a href="${target}">${label}</a>`;
}

/** Words around another message, which HTML names by its number, and Markdown by its id. */
interface Mark {
  readonly words: string;
  readonly id?: string;
  /** Set if the message may be in another thread, which has other numbers. */
  readonly kind?: 'thread' | 'post';
  /** The signer of that message, for Markdown. */
  readonly signer?: string;
  readonly rest?: string;
  readonly isWarning?: boolean;
}

/** The fields that decide which marks appear beside the name of a message. */
export interface Marked
  extends Omit<Signature, 'signer'>,
    SameKey,
    Pick<ShownStanding, 'copyOf'>,
    Pick<Remarks, 'notEnded' | 'notWithdrawn'> {
  readonly name: string | null;
  /** Null without a key. */
  readonly signer?: string | null | undefined;
  /** The first message in the thread with the same key. */
  readonly alsoWrote?: string | undefined;
  /** Whether no other message in the thread has the same signer. */
  readonly isOnly?: boolean;
}

const UNPROVEN = { rest: ' without proof: not counted', isWarning: true };

/** Measurements by the service, not judgements. They contain no names, since strangers choose those. */
function marksOf(message: Marked): Mark[] {
  const { namesakeOf, copyOf, alsoWrote, sameKeyAs = [], notOfThisKey = [], notEnded = [] } = message;
  return [
    ...listOf(namesakeOf).map(
      ({ id, signer, likeName }): Mark => ({
        words: 'looks like the name of',
        id,
        signer,
        rest: describeLetter(message.name, likeName),
        isWarning: true,
      }),
    ),
    ...listOf(copyOf).map(
      (one): Mark => ({ words: describeCopy(one), id: one.id, kind: 'thread', isWarning: true }),
    ),
    ...listOf(alsoWrote).map((id) => ({ words: 'also wrote', id })),
    ...(message.isOnly === true ? [{ words: 'the only message with this name' }] : []),
    ...sameKeyAs.map((id): Mark => ({ words: 'same key as', id, kind: 'post' })),
    ...notOfThisKey.map((id): Mark => ({ words: 'not of this key:', id, kind: 'post', isWarning: true })),
    ...notEnded.map((id) => ({ words: 'ends', id, ...UNPROVEN })),
    ...listOf(message.notWithdrawn).map((id) => ({ words: 'withdraws', id, ...UNPROVEN })),
  ];
}

const listOf = <Item>(item: Item | undefined): Item[] => (item === undefined ? [] : [item]);

/** Returns the marks of a message. Its signer comes first if others in the thread have the same name. */
export function marksHtml(message: Marked, references: References, isLinked = true): Html {
  const marks = marksOf(message).map(({ words, id, kind, rest, isWarning }) => {
    const isElsewhere = kind === 'post' || (kind === 'thread' && references.numberOf(id ?? '') === 1);
    const known = isElsewhere ? { ...references, numberOf: () => undefined } : references;
    const other =
      id === undefined
        ? undefined
        : html` ${numberHtml(id, known, isLinked, kind && `${kind} ${shortId(id)}`)}`;
    return html` <span class="${isWarning === true ? 'who like' : 'who'}">${words}${other}${rest}</span>`;
  });
  return html`${signerHtml(message.shortSigner)}${marks}`;
}

export const NOT_SIGNED = 'not signed';

/** Returns the signer beside a name that other signers in the thread have too. */
const signerHtml = (shortSigner: Signature['shortSigner']): Html =>
  shortSigner === undefined ? html`` : html` <span class="who signer">${shortSigner ?? NOT_SIGNED}</span>`;

/** Shows a name, with its signer if other signers in the thread have the same name. */
export const signedHtml = ({ name, shortSigner }: Pick<Marked, 'name' | 'shortSigner'>): Html =>
  html`${nameHtml(name)}${signerHtml(shortSigner)}`;

/** Returns the signer of a message and its marks, as facts of a Markdown page. */
export function marksMarkdown(message: Marked): string[] {
  const { signer, shortSigner } = message;
  return [
    ...listOf(signer ?? undefined).map((one) => `signer ${one}`),
    ...(shortSigner === null ? [NOT_SIGNED] : []),
    ...marksOf(message).map(
      ({ words, id, signer: other, rest = '' }) =>
        `${words}${id === undefined ? '' : ` ${id}`}${other === undefined ? '' : `, signed ${other}`}${rest}`,
    ),
  ];
}

/** Names the letter of another script in a name that looks like another name: `: “е” is Cyrillic`. */
function describeLetter(name: string | null, likeName: string | null = ''): string {
  const foreign = findForeignLetter(name ?? '', likeName ?? '');
  return foreign === undefined ? '' : `: “${foreign.letter}” is ${foreign.script}`;
}

/** Returns the words before the message of which another one is nearly a copy. */
export const describeCopy = ({ equal }: NonNullable<ShownStanding['copyOf']>): string =>
  equal === 0 ? 'same first line as' : 'nearly a copy of';

/** Shows the outcome of a REVIEW in a frame: `confirmed #13`; undefined for other messages. */
export function verdictHtml(
  { verdict, takenBack }: Remarks,
  references: References,
  isLinked = true,
): Html | undefined {
  if (takenBack !== undefined)
    return html`<span class="st">REVIEW of ${numberHtml(takenBack, references, isLinked)} withdrawn</span>`;
  if (verdict === undefined) return undefined;
  const { outcome, on } = verdict;
  const uncounted = whyUncounted(verdict);
  const kind = uncounted === '' ? standingOf(outcome) : 'uncounted';
  return html`<span class="st ${kind}">${outcome} ${numberHtml(on, references, isLinked)}${uncounted}</span>`;
}

/** Says why the standing of a RESULT does not rest on a REVIEW of it; empty if it does. */
function whyUncounted({ counts }: NonNullable<Remarks['verdict']>): string {
  if (counts === null) return ': not counted';
  if (counts?.sinceEnd === true) return ': since the end';
  return counts?.trusted === false && counts.as !== 'withdrawn' ? ': by others' : '';
}

/** Returns the same as facts of a Markdown page. */
export const verdictMarkdown = ({ verdict, takenBack }: Remarks): string[] => [
  ...listOf(takenBack).map((id) => `withdraws its REVIEW of ${id}`),
  ...listOf(verdict).map((one) => `says ${one.outcome} of ${one.on}${whyUncounted(one)}`),
];
