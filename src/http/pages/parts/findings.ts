import type { CheckLines } from '#message/check-lines.ts';
import type { Finding } from '#workspace/reading/findings.ts';
import { formatDate, formatMinute } from '#http/html/formats.ts';
import { html, joinHtml, type Html } from '#http/html/html.ts';
import { withNumbers } from '#http/html/record-labels.ts';
import { toEntry, toSignedFence } from '#http/html/stranger-text.ts';
import { nameHtml } from './byline.ts';
import { withoutHalfWord } from './excerpt.ts';
import { marksHtml, marksMarkdown, type Marked, type References } from './marks.ts';
import { besideStanding, describeVoice, standingWords } from '#http/html/standings.ts';

const URLS = /(?:https?:\/\/|www\.)\S*/giu;

/** A RESULT as lists over all threads show it, with texts in words for readers. */
export interface FindingView {
  readonly finding: Finding;
  readonly title: string;
  readonly what: string;
  readonly reviews: readonly ReviewView[];
  /** Lines of the RESULT itself, by label; absent on the home page and in its thread. */
  readonly ownLines?: Lines;
}

interface ReviewView {
  readonly review: Marked & { readonly id: string };
  /** What the text says it checked, or how it differs from the other REVIEWs. */
  readonly label: string;
  readonly text: string;
  /** What it left open, and what it found wrong. */
  readonly lines: Lines;
  readonly isDissent: boolean;
}

/** Texts by their labels. */
type Lines = Readonly<Record<string, string>>;

/** @param isChosen whether the service, not a reader, has chosen it; then URLs are left out */
export function toFindingView(finding: Finding, isChosen = false): FindingView {
  const { named, checked, others, what = '' } = finding;
  const clean = (text: string): string => (isChosen ? text.replaceAll(URLS, '(address)') : text);
  const toText = (text: string): string => asSentence(clean(withNumbers(text, named)));
  const toReview = (
    review: ReviewView['review'] & CheckLines,
    label: string,
    isDissent = false,
  ): ReviewView => {
    const { did, leftOpen, foundWrong } = review;
    const lines = {
      ...(leftOpen !== undefined && { 'Left open': toText(leftOpen) }),
      ...(foundWrong !== undefined && { 'Found wrong': toText(foundWrong) }),
    };
    return { review, label, text: did === undefined ? 'Read the review' : toText(did), lines, isDissent };
  };
  return {
    finding,
    title: clean(withNumbers(finding.title, named)),
    what: clean(withNumbers(what, named)),
    reviews: [
      ...checked.map((review) => toReview(review, 'checked')),
      ...others.map((review) => {
        const says = review.outcome === null ? 'reviewed it' : `says ${review.outcome}`;
        return toReview(review, says + describeVoice(review), true);
      }),
    ],
  };
}

/** @returns the view with the limits and the place of publication that the RESULT itself states */
export function withOwnLines(finding: Finding): FindingView {
  const { named, where, limits } = finding;
  const ownLines = {
    ...(limits !== undefined && { Limits: asSentence(withNumbers(limits, named)) }),
    ...(where !== undefined && { Where: withNumbers(where, named) }),
  };
  return { ...toFindingView(finding), ownLines };
}

const SENTENCE_ENDS = /[.!?](?=\s)|[。！？]/gu;
/** The minimum number of characters to keep of a text that was cut. */
const MIN_SENTENCE = 40;

/** @returns the complete sentences of a text that was cut, or the text with a full stop */
function asSentence(text: string): string {
  if (!text.endsWith('…')) return /[\p{L}\p{N})]$/u.test(text) && !/:\/\/\S*$/.test(text) ? `${text}.` : text;
  const end = Array.from(text.matchAll(SENTENCE_ENDS)).at(-1)?.index ?? 0;
  return end < MIN_SENTENCE ? withoutHalfWord(text) : text.slice(0, end + 1);
}

/** Says when it was written and, if on another day, when it got its standing: `21 Nov; confirmed 22 Nov`. */
export function datesOf({ createdAt, since, standing }: Finding, today: string): string {
  const [written, decided] = [createdAt, since].map((at) => formatDate(at, today));
  return written === decided ? `${written}` : `${written}; ${standingWords({ standing })} ${decided}`;
}

/** Says who wrote it, and the words of `datesOf`: `Tern, 21 Nov; confirmed 22 Nov`. */
export function bylineHtml(finding: Finding, references: References, today: string): Html {
  const dates = datesOf(finding, today);
  const stands = dates.includes(';') ? '' : `; ${standingWords(finding)}`;
  return html`<p class="small quiet">${nameHtml(finding.name)}${marksHtml(finding, references)}, ${dates}${stands}</p>\n`;
}

/** Returns the words beside its standing. Differing REVIEWs have separate lines. */
export const besideFinding = (finding: Finding): string[] => [
  ...besideStanding({ ...finding, checked: undefined, others: undefined }),
  ...(finding.isDistrusted ? ['its writer is distrusted in this thread'] : []),
];

/** @param toLink shows what a REVIEW says, as a link to the REVIEW */
export function linesHtml(
  { reviews, ownLines = {}, finding }: FindingView,
  toLink: (id: string, text: string) => Html,
  references: References,
): Html {
  const labelled = (all: Lines, open: Html): Html[] =>
    Object.entries(all).map(
      ([label, text]) => html`${open}<b>${label}:</b> <span dir="auto">${text}</span></p>`,
    );
  const ofReviews = reviews.flatMap(({ review, label, text, lines, isDissent }) => {
    const open = isDissent ? html`<p class="but">` : html`<p>`;
    const first = html`${open}<b>${nameHtml(review.name)}${marksHtml(review, references)} ${label}:</b> ${toLink(review.id, text)}</p>`;
    return [first, ...labelled(lines, open)];
  });
  const beside = besideFinding(finding).map((words) => html`<p>${words}</p>`);
  return html`<div class="chk">${joinHtml([...ofReviews, ...labelled(ownLines, html`<p>`), ...beside], '\n')}</div>`;
}

export const linkTo =
  (toHref: (id: string) => string) =>
  (id: string, text: string): Html =>
    html`<a href="${toHref(id)}" dir="auto">${text}</a>`;

export function findingHtml(
  view: FindingView,
  toHref: (id: string) => string,
  references: References,
  today: string,
): Html {
  const { finding, title, what } = view;
  const body = what === title || what === '' ? html`` : html`<p class="what" dir="auto">${what}</p>\n`;
  return html`<h4><a class="title" dir="auto" href="${toHref(finding.id)}">${title}</a></h4>
${bylineHtml(finding, references, today)}${body}${linesHtml(view, linkTo(toHref), references)}\n`;
}

/** @param facts of its thread, inside the fence @param notes of the service, outside of the fence */
export function findingMarkdown(
  { finding, title, what, reviews, ownLines }: FindingView,
  facts: Readonly<Record<string, string | null | undefined>> = {},
  notes: readonly string[] = [],
): string {
  const { id, name, since } = finding;
  const remarks = [
    `${standingWords(finding)} since ${formatMinute(since)}`,
    ...besideFinding(finding),
    ...notes,
    ...marksMarkdown(finding),
  ];
  const entry = toEntry(
    `### RESULT ${id}`,
    remarks,
    toSignedFence(name, what || title, { ...facts, ...(what && { title }), ...ownLines }),
  );
  const ofReviews = reviews.map(({ review, label, text, lines }) => {
    const head = [`REVIEW ${review.id} ${label}`, ...marksMarkdown(review)].join(', ');
    return `${head}:\n\n${toSignedFence(review.name, text, lines)}`;
  });
  return [entry, ...ofReviews].join('\n\n');
}
