import type { CheckLines, Finding } from '#workspace/reading/findings.ts';
import { formatDate, formatMinute } from '#http/html/formats.ts';
import { html, joinHtml, type Html } from '#http/html/html.ts';
import { withNumbers } from '#http/html/record-labels.ts';
import { toEntry, toSignedFence } from '#http/html/stranger-text.ts';
import { nameHtml } from './byline.ts';
import { withoutHalfWord } from './excerpt.ts';
import { marksHtml, marksMarkdown, type Marked, type References } from './marks.ts';
import { besideStanding, describeVoice, standingWords } from '#http/html/standings.ts';

const ADDRESS = /(?:https?:\/\/|www\.)\S*/giu;

/** A RESULT as lists over threads show it, with its texts in words for readers. */
export interface FindingView {
  readonly finding: Finding;
  readonly title: string;
  readonly what: string;
  /** What REVIEWs say of it: of each its own line first, and what it left open and found wrong below. */
  readonly lines: readonly SaidLine[];
  /** What it says itself, by labels; absent on home and in its own thread. */
  readonly own?: Readonly<Record<string, string>>;
}

interface SaidLine {
  readonly label: string;
  readonly text: string;
  /** Absent of a line below that of its REVIEW. */
  readonly review?: Marked & { readonly id: string };
  readonly isDissent: boolean;
}

/** @param isChosen whether the service chooses it without a reader: then web addresses are left out */
export function toFindingView(finding: Finding, isChosen = false): FindingView {
  const { named, checked, others, what = '' } = finding;
  const clean = (text: string): string => (isChosen ? text.replaceAll(ADDRESS, '(address)') : text);
  const toText = (text: string): string => asSentence(clean(withNumbers(text, named)));
  return {
    finding,
    title: clean(withNumbers(finding.title, named)),
    what: clean(withNumbers(what, named)),
    lines: [
      ...checked.flatMap((review) => linesOf(review, 'checked', toText)),
      ...others.flatMap((review) => {
        const { outcome } = review;
        const says = outcome === null ? 'reviewed it' : `says ${outcome}`;
        return linesOf(review, says + describeVoice(review), toText, true);
      }),
    ],
  };
}

/** The same with what it says itself. */
export function withOwnLines(finding: Finding): FindingView {
  const { named, where, limits } = finding;
  const own = {
    ...(limits !== undefined && { Limits: asSentence(withNumbers(limits, named)) }),
    ...(where !== undefined && { Where: withNumbers(where, named) }),
  };
  return { ...toFindingView(finding), own };
}

function linesOf(
  review: Marked & { readonly id: string } & CheckLines,
  label: string,
  toText: (text: string) => string,
  isDissent = false,
): SaidLine[] {
  const { did, leftOpen, foundWrong } = review;
  return [
    { label, text: did === undefined ? 'Read the review' : toText(did), review, isDissent },
    ...(leftOpen === undefined ? [] : [{ label: 'Left open', text: toText(leftOpen), isDissent }]),
    ...(foundWrong === undefined ? [] : [{ label: 'Found wrong', text: toText(foundWrong), isDissent }]),
  ];
}

const SENTENCE_ENDS = /[.!?](?=\s)|[。！？]/gu;
/** Of a text that was cut, the least that is left of it. */
const MIN_SENTENCE = 40;

/** @returns the whole sentences of a text that was cut, or the text, with a full stop */
function asSentence(text: string): string {
  if (!text.endsWith('…')) return /[\p{L}\p{N})]$/u.test(text) && !/:\/\/\S*$/.test(text) ? `${text}.` : text;
  const end = Array.from(text.matchAll(SENTENCE_ENDS)).at(-1)?.index ?? 0;
  return end < MIN_SENTENCE ? withoutHalfWord(text) : text.slice(0, end + 1);
}

/** When it was written, and since when it stands so, if that is another day: `21 Nov; confirmed 22 Nov`. */
export function datesOf({ createdAt, since, standing }: Finding, today: string): string {
  const [written, decided] = [createdAt, since].map((at) => formatDate(at, today));
  return written === decided ? `${written}` : `${written}; ${standingWords({ standing })} ${decided}`;
}

/** Who wrote it when, and since when it stands so: `Tern, 21 Nov; confirmed 22 Nov`. */
export function bylineHtml(finding: Finding, references: References, today: string): Html {
  const dates = datesOf(finding, today);
  const stands = dates.includes(';') ? '' : `; ${standingWords(finding)}`;
  return html`<p class="small quiet">${nameHtml(finding.name)}${marksHtml(finding, references)}, ${dates}${stands}</p>\n`;
}

/** What stands beside its standing, without the words of others, which have lines. */
export const besideFinding = (finding: Finding): string[] => [
  ...besideStanding({ ...finding, checked: undefined, others: undefined }),
  ...(finding.isDistrusted ? ['its writer is distrusted in this thread'] : []),
];

/** What REVIEWs say of it, and its own lines. @param toLink shows what a REVIEW says, with its address */
export function linesHtml(
  { lines, own = {}, finding }: FindingView,
  toLink: (id: string, text: string) => Html,
  references: References,
): Html {
  const said = lines.map(({ label, text, review, isDissent }) => {
    const open = isDissent ? html`<p class="but">` : html`<p>`;
    return review === undefined
      ? html`${open}<b>${label}:</b> <span dir="auto">${text}</span></p>`
      : html`${open}<b>${nameHtml(review.name)}${marksHtml(review, references)} ${label}:</b> ${toLink(review.id, text)}</p>`;
  });
  const itself = Object.entries(own).map(
    ([label, text]) => html`<p><b>${label}:</b> <span dir="auto">${text}</span></p>`,
  );
  const beside = besideFinding(finding).map((words) => html`<p>${words}</p>`);
  return html`<div class="chk">${joinHtml([...said, ...itself, ...beside], '\n')}</div>`;
}

/** What a REVIEW says, as a link to it. */
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

/** @param facts of its thread, in the fence @param besides what else the service says of it */
export function findingMarkdown(
  { finding, title, what, lines, own }: FindingView,
  facts: Readonly<Record<string, string | null | undefined>> = {},
  besides: readonly string[] = [],
): string {
  const { id, name, since } = finding;
  const said = [
    `${standingWords(finding)} since ${formatMinute(since)}`,
    ...besideFinding(finding),
    ...besides,
    ...marksMarkdown(finding),
  ];
  const entry = toEntry(
    `### RESULT ${id}`,
    said,
    toSignedFence(name, what || title, { ...facts, ...(what && { title }), ...own }),
  );
  const reviews = lines.flatMap(({ label, text, review }, index) => {
    if (review === undefined) return [];
    const end = lines.findIndex((line, place) => place > index && line.review !== undefined);
    const below = lines
      .slice(index + 1, end < 0 ? undefined : end)
      .map((line) => [line.label, line.text] as const);
    const head = [`REVIEW ${review.id} ${label}`, ...marksMarkdown(review)].join(', ');
    return `${head}:\n\n${toSignedFence(review.name, text, Object.fromEntries(below))}`;
  });
  return [entry, ...reviews].join('\n\n');
}
