import { html, joinHtml, type Html } from '#http/html/html.ts';
import { withNumbers } from '#http/html/record-labels.ts';
import { toEntry, toFence, toSignedFence } from '#http/html/stranger-text.ts';
import { moreHtml, nameHtml } from '#http/pages/parts/byline.ts';
import { datesOf, findingMarkdown, linesHtml } from '#http/pages/parts/findings.ts';
import {
  marksHtml,
  marksMarkdown,
  numberHtml,
  numbersOf,
  type Marked,
  type References,
} from '#http/pages/parts/marks.ts';
import { barHtml, describeProgress } from '#http/html/standings.ts';
import type { DescribedSigner } from '#workspace/reading/known-thread.ts';
import type { Group, KnownView, Row } from './known-view.ts';

const HEADING = 'What is known so far';
const CONFIRMED =
  '“Confirmed” means that an agent trusted here says it checked this. What it checked is shown below.';
const NOT_HERE = 'This site checked nothing.';
const TRUSTED = 'Trusted here';
const ONE_PARTY = ' They may all be one party with several keys.';
const DISTRUSTED = 'Distrusted here';
const NO_RESULT = 'No result yet';
/** The maximum number of rows that are visible at first. */
const MAX_OPEN = 8;

interface Options {
  readonly references: References;
  readonly href: (path: string) => string;
  /** Returns the URL of the thread in the view of a signer; without one, in the view of the opener. */
  readonly toViewer: (signer?: string) => string;
  /** The URL of all messages, including those that the lists leave out. */
  readonly all: string;
  /** The day that the page states, so that times leave it out. */
  readonly day: string;
}

export function knownHtml(view: KnownView, options: Options): Html {
  const { groups, setAside, progress } = view;
  const open: Html[] = [];
  const folded: Html[] = [];
  let [left, count] = [MAX_OPEN, 0];
  for (const { rows, more, ...group } of groups) {
    const openRows = rows.slice(0, left);
    const rest = { heading: '', rows: rows.slice(openRows.length), more };
    left -= openRows.length;
    count += sizeOf(rest);
    if (openRows.length > 0) open.push(groupHtml({ ...group, rows: openRows, more: 0 }, options));
    if (sizeOf(rest) > 0) folded.push(groupHtml(openRows.length > 0 ? rest : { ...rest, ...group }, options));
  }
  const aside = sizeOf(setAside) === 0 ? [] : [groupHtml({ ...setAside, heading: '' }, options)];
  return html`<section class="so-far" aria-labelledby="known">
<h2 id="known">${HEADING}</h2>
<p class="sum">${describeProgress(progress) || NO_RESULT}.</p>
${barHtml(progress)}
<p class="small quiet">${CONFIRMED} ${NOT_HERE} <a href="#trusted">${TRUSTED}</a></p>
${open}${foldHtml(`${count} more`, folded)}${foldHtml(describeAside(setAside), aside)}${trustedHtml(view, options)}</section>
`;
}

/** `Set aside: 4 (replaced, not confirmed)`. */
const describeAside = (group: Group): string =>
  `${group.heading}: ${sizeOf(group)} (${[...new Set(group.rows.map(({ words }) => words))].join(', ')})`;

const sizeOf = ({ rows, more }: Group): number => rows.length + more;

const foldHtml = (summary: string, content: readonly Html[]): Html =>
  content.length === 0
    ? html``
    : html`<details><summary>${summary}</summary>
${content}</details>
`;

function groupHtml({ heading, idea, rows, more }: Group, options: Options): Html {
  const of = idea && html` ${numberHtml(idea, options.references)}`;
  const rest = moreHtml(more, options.all, ' below');
  return html`${heading === '' ? '' : html`<h2>${heading}${of}</h2>\n`}${
    rows.length === 0 ? '' : html`<ol class="known">${rows.map((row) => rowHtml(row, options))}</ol>\n`
  }${rest && html`<p class="small">${rest}</p>\n`}`;
}

function rowHtml(row: Row, { references, href, day }: Options): Html {
  const { part, state, words, finding, work } = row;
  const shown = finding?.finding ?? work;
  const title = finding?.title ?? (work && withNumbers(work.title, numbersOf(work, references)));
  const when = finding ? datesOf(finding.finding, day) : `until ${work?.until ?? ''}`;
  const head =
    shown &&
    html`<p><a href="${references.toHref(shown.id) ?? ''}" dir="auto">${title}</a>
<small>${writerHtml(shown, references)}, ${when}, ${numberHtml(shown.id, references, false)}</small></p>\n`;
  return html`<li><p class="part">${part === undefined ? '' : html`<b dir="auto">${part}</b> `}<span class="tag ${state}">${words}</span></p>
<div>${head}${reviewsHtml(row, references, href)}</div></li>\n`;
}

/** Shows REVIEWs and other messages about a RESULT or a part. */
export function reviewsHtml(
  { finding, notes, all }: Row,
  references: References,
  href: Options['href'],
): Html {
  const noted = notes.map(({ words, ids, by }) => {
    const numbers = ids.map((id) => numberHtml(id, references));
    return html`<p class="small quiet">${words} ${by && writerHtml(by, references)} ${joinHtml(numbers, ' ')}</p>\n`;
  });
  const toText = (id: string, text: string): Html =>
    html`<span dir="auto">${text}</span> <small>${numberHtml(id, references)}</small>`;
  const more = all && html`<p class="small"><a href="${href(all)}">All reviews</a></p>\n`;
  const reviewed = finding?.reviews.length === 0 ? undefined : finding;
  return html`${reviewed && linesHtml(reviewed, toText, references)}\n${noted}${more}`;
}

const writerHtml = (one: Marked, references: References): Html =>
  html`${nameHtml(one.name)}${marksHtml(one, references)}`;

/** Says why the reviews of a signer count or do not count. @param toText renders a message */
function reasonOf<Text>(
  one: DescribedSigner,
  { viewer, distrusted }: KnownView,
  toText: (id: string) => Text,
): readonly (string | Text)[] {
  const { why, by, of } = one;
  if (why === 'opened') return ['opened the thread'];
  if (why === 'viewer') return ['decides in this view'];
  if (why === 'confirmed')
    return by && of ? ['wrote ', toText(of), ', confirmed in ', toText(by)] : ['wrote a confirmed result'];
  const verb = distrusted.items.includes(one) ? 'distrusted' : 'trusted';
  const words = `is ${verb} by ${viewer === undefined ? 'the opener' : 'this signer'}`;
  return by === undefined ? [words] : [`${words} (`, toText(by), ')'];
}

/** The maximum number of signers whose view the page offers. */
const MAX_VIEWERS = 8;

function trustedHtml(view: KnownView, { references, href, toViewer, all }: Options): Html {
  const { trusted, distrusted, decidedBy, viewer } = view;
  const itemsOf = (list: readonly DescribedSigner[]): Html =>
    joinHtml(
      list.map((one) => {
        const reason = reasonOf(one, view, (id) => numberHtml(id, references)).map((part) => html`${part}`);
        return html`<b>${writerHtml(one, references)}</b> ${reason}`;
      }),
      '; ',
    );
  const others = trusted.slice(1, 1 + MAX_VIEWERS).map(({ signer, name }) => {
    const path = toViewer(signer);
    return html`<a href="${path}">${nameHtml(name)}</a>`;
  });
  const opener = viewer === undefined ? [] : [html`<a href="${toViewer()}">its opener</a>`];
  const viewers = joinHtml([...opener, ...others], ' or ');
  const more = moreHtml(distrusted.count - distrusted.items.length, all);
  return html`<section class="trusted" aria-labelledby="trusted">
<h2 id="trusted">${TRUSTED}</h2>
<p>${decidedBy}${trusted.length > 1 ? ONE_PARTY : ''}${trusted.length === 0 ? '' : html` ${itemsOf(trusted)}.`}</p>
${distrusted.count === 0 ? '' : html`<p>${DISTRUSTED}: ${itemsOf(distrusted.items)}${more && html`, ${more}`}.</p>\n`}<p>${
    viewers.text === '' ? '' : html`See the thread as ${viewers} sees it. `
  }<a href="${href('/about#confirmed')}">What “confirmed” means</a></p></section>
`;
}

export function knownMarkdown(view: KnownView, references: References): string[] {
  const { groups, setAside, progress } = view;
  const toText = (id: string): string => `#${references.numberOf(id) ?? ''} ${id}`;
  return [
    `## ${HEADING}`,
    `${describeProgress(progress) || NO_RESULT}. ${CONFIRMED} ${NOT_HERE}`,
    ...[...groups, setAside].flatMap(({ heading, idea, rows, more }) => [
      heading === '' || rows.length + more === 0
        ? ''
        : `## ${heading}${idea === undefined ? '' : ` ${toText(idea)}`}`,
      ...rows.map((row) => rowMarkdown(row, toText)),
      more === 0 ? '' : `and ${more} more`,
    ]),
    ...trustedMarkdown(view, toText),
  ];
}

function rowMarkdown({ part, words, finding, work, notes }: Row, toText: (id: string) => string): string {
  const noted = notes.map((note) => `${note.words} ${note.ids.map(toText).join(' ')}`);
  if (finding !== undefined)
    return findingMarkdown(finding, { part }, [toText(finding.finding.id), ...noted]);
  if (work === undefined) return toEntry(`### ${words}`, noted, toFence(part ?? ''));
  const facts = [`${words} until ${work.until}`, ...marksMarkdown(work), ...noted];
  return toEntry(`### WORK ${toText(work.id)}`, facts, toSignedFence(work.name, work.title, { part }));
}

/** Names are in a fence, in the order of the signers. */
function trustedMarkdown(view: KnownView, toText: (id: string) => string): string[] {
  const { trusted, distrusted, decidedBy } = view;
  const listOf = (list: readonly DescribedSigner[]): string[] => {
    const lines = list.map((one) => `- ${one.signer} ${reasonOf(one, view, toText).join('')}`);
    const names = list.map(({ signer, name }) => (name === null ? signer : `${signer} ${name}`));
    return list.length === 0 ? [] : [lines.join('\n'), toFence(names.join('\n'))];
  };
  return [
    `## ${TRUSTED}: ${trusted.length}`,
    decidedBy + (trusted.length > 1 ? ONE_PARTY : ''),
    ...listOf(trusted),
    ...(distrusted.count === 0 ? [] : [`${DISTRUSTED}: ${distrusted.count}`, ...listOf(distrusted.items)]),
  ];
}
