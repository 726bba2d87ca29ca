import { formatClock, formatDate } from '#http/html/formats.ts';
import { html, Html, joinHtml } from '#http/html/html.ts';
import { postLabel } from '#http/html/record-labels.ts';
import {
  authorHtml,
  badgeHtml,
  kindClass,
  moreHtml,
  nameHtml,
  reportLink,
  timeHtml,
} from '#http/pages/parts/byline.ts';
import { marksHtml, numberHtml, verdictHtml } from '#http/pages/parts/marks.ts';
import type { PageContext } from '#http/pages/parts/page.ts';
import { standingHtml } from '#http/html/standings.ts';
import { reviewsHtml } from './known-formats.ts';
import { toFindingRow } from './known-view.ts';
import type { PageMessage, ThreadView } from './thread-view.ts';

/** The maximum number of links to referring posts. Hundreds may refer to a first post. */
const MAX_REFERRERS = 6;

interface Slot {
  /** The time of the previous message, because a date is shown only where it changes. */
  readonly before: string;
  /** Whether it replies to the previous message, and so is shown close to it. */
  readonly isNext?: boolean;
  /** The message that it replies to; null if its position already shows that. */
  readonly inReplyTo: string | null;
}

export type MessageHtml = ReturnType<typeof createMessageHtml>;

/** Creates the functions that render the messages of a thread. */
export function createMessageHtml(context: PageContext, view: ThreadView) {
  const { href } = context;
  const { first, references, mode } = view;
  // A heading reads "#16 REVIEW, Alder: not confirmed #13".
  const headHtml = (message: PageMessage, isLinked: boolean): Html => {
    const { id, prefix, name } = message;
    const number = references.numberOf(id);
    const numbered = html`#${number ?? ''}`;
    return html`<h2><span class="num">${
      isLinked ? html`<a href="#${id}">${numbered}</a>` : numbered
    }</span> ${badgeHtml(prefix)}<span class="hidden">, </span>${
      isLinked ? authorHtml(context, name) : nameHtml(name)
    }${besideNameHtml(message, isLinked)}</h2>`;
  };

  const besideNameHtml = (message: PageMessage, isLinked: boolean): Html => {
    const { standing, replacedBy: by } = message;
    const marks = marksHtml(message, references, isLinked);
    const verdict = verdictHtml(message, references, isLinked);
    if (verdict === undefined && standing === undefined) return marks;
    const more = by === undefined ? undefined : html` by ${numberHtml(by, references, isLinked)}`;
    return html`${marks}<span class="hidden">: </span>${verdict ?? standingHtml(message, more)}`;
  };

  const factsHtml = ({ id, createdAt, parentId }: PageMessage, { before, inReplyTo }: Slot): Html => {
    const isHiddenParent = parentId !== null && references.toHref(parentId) === undefined;
    const origin =
      inReplyTo === null
        ? ''
        : html` <span>in reply to ${numberHtml(inReplyTo, references)}${isHiddenParent ? ', which is not public' : ''}</span>`;
    return html`${secondHtml(createdAt, before)}
${reportLink(context, id, references.numberOf(id))}${origin}`;
  };

  const belowHtml = ({ id }: PageMessage): Html => {
    const referrers = view.referrers.get(id) ?? [];
    if (referrers.length === 0) return html``;
    const links = referrers
      .slice(0, MAX_REFERRERS)
      .map(
        (one) =>
          html`<a href="${references.toHref(one.id)}">${postLabel(one, references.numberOf(one.id))}</a>`,
      );
    const more = moreHtml(referrers.length - links.length, href(`/feed?q=${id}`));
    return html`<p class="trail"><span>Referred to by ${joinHtml(links, ', ')}${more && html` ${more}`}</span></p>\n`;
  };
  const aboveHtml = ({ id }: PageMessage): Html => {
    const finding = view.known.findings.get(id);
    return finding === undefined ? html`` : reviewsHtml(toFindingRow(finding), references, href);
  };

  return {
    marks: (): Html => besideNameHtml(first, true),
    /** Shows the text of the first message without its title, which is the heading of the page. */
    opening: (): Html => {
      const number = references.numberOf(first.id) ?? '';
      const untitledFirst = untitled(first);
      // Cut where other texts come first.
      const text = mode === 'full' ? untitledFirst.markup : foldedHtml(untitledFirst);
      return html`<article class="message ${kindClass(first.prefix)}" id="${first.id}">
<h2 class="hidden">#${number} ${first.prefix ?? 'Message'}, ${nameHtml(first.name)}</h2>
<header class="byline"><span class="num"><a href="#${first.id}">#${number}</a></span>
<a href="${href(`/posts/${first.id}.txt`)}">plain text</a>
${factsHtml(first, { before: first.createdAt, inReplyTo: first.parentId })}</header>
${aboveHtml(first)}<div class="text" dir="auto">${text}</div>
${belowHtml(first)}</article>`;
    },
    card: (
      message: PageMessage,
      slot: Slot,
    ): Html => html`<article class="message ${kindClass(message.prefix)}${
      slot.isNext === true ? ' next' : ''
    }" id="${message.id}">
<header class="byline">${headHtml(message, true)} ${factsHtml(message, slot)}</header>
${aboveHtml(message)}${evidenceHtml(message)}${textHtml(message)}
${mode === 'full' ? belowHtml(message) : ''}</article>
`,
    /** Shows one line that unfolds. */
    row: (message: PageMessage, slot: Slot): Html => html`<article class="row ${kindClass(message.prefix)}${
      isFallen(message) ? ' fallen' : ''
    }"><details><summary>${headHtml(message, false)} <span class="one" dir="auto">${message.says ?? message.title}</span></summary>
<div><span class="at" id="${message.id}"></span><p class="byline">${factsHtml(message, slot)}</p>
${aboveHtml(message)}<div class="text" dir="auto">${message.markup}</div>
${belowHtml(message)}</div></details></article>
`,
  };
}

/** Shows a time to the second. @param before the time of the previous message */
export function secondHtml(at: string, before: string): Html {
  const date = at.slice(0, 10) === before.slice(0, 10) ? '' : `${formatDate(at, before.slice(0, 4))}, `;
  return timeHtml(at, date + formatClock(at));
}

const isFallen = ({ standing = 'unreviewed', copyOf }: PageMessage): boolean =>
  standing === 'refuted' || standing === 'replaced' || standing === 'withdrawn' || copyOf !== undefined;

/** Whether a RESULT holds: no REVIEW that counts is against it, and it is not a copy. */
export const stands = (message: PageMessage): boolean =>
  message.standing !== undefined && message.standing !== 'contested' && !isFallen(message);

/** How many characters of a line of evidence are compared to find the line in the text of its REVIEW. */
const BEGINNING = 40;

/** Shows what a REVIEW says that it checked, if its text is cut before that line. */
function evidenceHtml({ says, folded }: PageMessage): Html {
  if (says === undefined || folded === undefined) return html``;
  const isShown = folded.shown.text.includes(html`${says.slice(0, BEGINNING)}`.text);
  return isShown ? html`` : html`<p class="says" dir="auto">${says}</p>\n`;
}

/** Shows the text of a message. The title of a RESULT comes first, as a heading. */
function textHtml(message: PageMessage): Html {
  const { prefix, title } = message;
  if (prefix !== 'RESULT') return html`<div class="text" dir="auto">${foldedHtml(message)}</div>`;
  return html`<h3 dir="auto">${title}</h3>\n<div class="text" dir="auto">${foldedHtml(untitled(message))}</div>`;
}

/** Returns the message with its title removed from the text, if that is the first line. */
function untitled(message: PageMessage): PageMessage {
  const { title, markup, folded } = message;
  const untitledFold = folded && { ...folded, shown: withoutTitle(title, folded.shown) };
  return { ...message, markup: withoutTitle(title, markup), folded: untitledFold };
}

/** Shows the text of a message. Of a long text, the end is in an element that unfolds. */
function foldedHtml({ markup, folded }: PageMessage): Html {
  if (folded === undefined) return markup;
  return html`${folded.shown}
<details class="more"><summary>${folded.restLength} more characters</summary>
${folded.rest}</details>`;
}

/** Returns the text without its first line, if that is the title, which is shown above. */
function withoutTitle(title: string, markup: Html): Html {
  const line = html`<p>${title}`.text;
  const rest = markup.text.startsWith(line) ? markup.text.slice(line.length) : '';
  if (rest.startsWith('</p>\n')) return new Html(rest.slice('</p>\n'.length));
  return rest.startsWith('<br>\n') ? new Html(`<p>${rest.slice('<br>\n'.length)}`) : markup;
}
