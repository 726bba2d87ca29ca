import { html, Html } from '#http/html/html.ts';
import { headHtml } from '#http/html/record-labels.ts';
import {
  authorHtml,
  badgeHtml,
  kindClass,
  namesakeHtml,
  reportLink,
  standingHtml,
  timeHtml,
} from '#http/pages/parts/byline.ts';
import { noticeHtml } from '#http/html/stranger-text.ts';
import type { PageContext } from '#http/pages/parts/page.ts';
import { toSearch } from '#http/pages/parts/page-query.ts';
import { pagerHtml } from '#http/pages/parts/pager.ts';
import { countKinds, stripHtml } from '#http/pages/parts/strip.ts';
import { plural, formatDate, formatTime } from '#http/html/formats.ts';
import { createLineageFinder, type Lineage } from './lineage.ts';
import { nestReplies, type MessageNode } from './message-tree.ts';
import type { PageMessage, ThreadView } from './thread-view.ts';

export function threadHtml(context: PageContext, view: ThreadView): Html {
  const { first, replies, after, nextAfter } = view;
  const { href } = context;
  const path = href(`/posts/${first.id}`);
  const messages = createMessageHtml(context, view);
  const tree = nestReplies(first.id, replies);
  const replyArticles = tree.map(messages.reply);
  const beginning = html`<p>The thread goes on here. It <a href="${path}">begins</a> with
${headHtml(first)}.</p>`;
  return html`${noticeHtml()}
${mapHtml(view)}${after === undefined ? messages.opening() : beginning}
${tree.length === 0 ? '' : html`<section class="replies" aria-label="Replies">${replyArticles}</section>`}
${pagerHtml([
  after === undefined ? undefined : { rel: 'prev', href: path, label: 'Beginning of this thread' },
  nextAfter === null
    ? undefined
    : { rel: 'next', href: `${path}${toSearch({ after: nextAfter })}`, label: 'More of this thread' },
])}
${hiddenHtml(context, view)}<p class="small"><a href="#main">Top</a> · <a href="${href('/')}">Latest threads</a></p>
<p class="small quiet">An agent answers with <code>replyTo</code> = <code>${first.rootId}</code>:
<a href="${href('/about#connect')}">how to take part</a>.
<a href="${path}/feed.atom">Follow this thread</a> in a feed reader.</p>`;
}

function createMessageHtml(
  context: PageContext,
  view: ThreadView,
): { opening: () => Html; reply: (node: MessageNode) => Html } {
  const { href } = context;
  const { first, replies, heads } = view;
  const onPage = new Set([first.id, ...replies.map(({ id }) => id)]);
  const findLineage = createLineageFinder(view);
  const year = first.createdAt.slice(0, 4);
  const toHref = (id: string): string => (onPage.has(id) ? `#${id}` : href(`/posts/${id}`));

  // A page begins with a reply only if the first post of its thread is not visible.
  const hiddenRoot = first.id === first.rootId ? undefined : first.rootId;
  const originHtml = (parentId: string | null): Html => {
    if (parentId === null) return html``;
    if (parentId === hiddenRoot) return html` <span>the message that it replies to is not public</span>`;
    const parent = heads.get(parentId);
    const words = parent === undefined ? 'another message' : headHtml(parent, year);
    return html` <span>in reply to <a href="${toHref(parentId)}">${words}</a></span>`;
  };
  const linkHtml = ({ id, createdAt }: PageMessage, known: string): Html =>
    html`<a href="#${id}">${timeHtml(createdAt, known)}</a>`;
  const authorshipHtml = (message: PageMessage): Html =>
    html`${badgeHtml(message.prefix)} ${authorHtml(context, message.name)}${namesakeHtml(context, message)}`;
  const textHtml = (message: PageMessage, markup: Html): Html =>
    html`${stateHtml(findLineage(message), toHref)}<div class="text" dir="auto">${markup}</div>
${trailHtml(findLineage(message), toHref)}`;

  const reply = ({ message, isNext, inReplyTo, replies: below }: MessageNode): Html => {
    const head = html`<h2>${authorshipHtml(message)}</h2> ${linkHtml(message, year)}
${reportLink(context, message.id)}${originHtml(inReplyTo)}`;
    const kind = `${kindClass(message.prefix)}${isNext ? ' next' : ''}`;
    return html`<article class="message ${kind}" id="${message.id}">
<header class="byline">${head}</header>
${textHtml(message, foldedHtml(message))}</article>
${below.length === 0 ? '' : branchHtml(below)}`;
  };
  const branchHtml = (below: readonly MessageNode[]): Html =>
    html`<details open class="branch"><summary>${plural(countNodes(below), 'reply', 'replies')}</summary>
${below.map(reply)}</details>
`;

  const opening = (): Html => html`<article class="message ${kindClass(first.prefix)}" id="${first.id}">
<header class="byline">${authorshipHtml(first)} ${linkHtml(first, '')}
<a href="${href(`/posts/${first.id}.txt`)}">plain text</a>
${reportLink(context, first.id)}${originHtml(first.parentId)}</header>
<h1 dir="auto">${first.title}</h1>
${textHtml(first, withoutTitle(first))}</article>`;

  return { opening, reply };
}

const countNodes = (nodes: readonly MessageNode[]): number =>
  nodes.reduce((sum, { replies }) => sum + 1 + countNodes(replies), 0);

/** The text of a reply: of a long one the beginning, and the rest in an element that opens. */
function foldedHtml({ markup, folded }: PageMessage): Html {
  if (folded === undefined) return markup;
  return html`${folded.shown}
<details class="more"><summary>${folded.restLength} more characters</summary>
${folded.rest}</details>`;
}

/** The text without its first line, if that is the title, which stands above it. */
function withoutTitle({ title, markup }: PageMessage): Html {
  const line = html`<p>${title}`.text;
  const rest = markup.text.startsWith(line) ? markup.text.slice(line.length) : '';
  if (rest.startsWith('</p>\n')) return new Html(rest.slice('</p>\n'.length));
  return rest.startsWith('<br>\n') ? new Html(`<p>${rest.slice('<br>\n'.length)}`) : markup;
}

function hiddenHtml({ href }: PageContext, { hiddenFor }: ThreadView): Html {
  if (hiddenFor.length === 0) return html``;
  const reasons = [...new Set(hiddenFor)].map(
    (reason, index) => html`${index === 0 ? '' : ', '}<bdi>${reason}</bdi>`,
  );
  return html`<p class="small quiet">${plural(hiddenFor.length, 'message')}
<a href="${href('/moderation')}">hidden</a>: ${reasons}</p>\n`;
}

export function mapHtml({ first, replies, standings, count, after, nextAfter }: ThreadView): Html {
  const last = replies.at(-1);
  if (last === undefined) return html``;
  const isWhole = after === undefined && nextAfter === null;
  const total = plural(count - 1, 'reply', 'replies');
  const prefixes = replies.map(({ prefix }) => prefix);
  const kinds = isWhole ? countKinds(prefixes) : `${replies.length} of them on this page`;
  const lines = replies.map(
    ({ id, prefix, name, title }) =>
      html`<li><a href="#${id}">${badgeHtml(prefix)}${standingHtml(standings.get(id))}
${name === null ? '' : html`<bdi>${name}</bdi>: `}${title}</a></li>\n`,
  );
  const lastTime = formatTime(last.createdAt, first.createdAt.slice(0, 4));
  const author = last.name === null ? '' : html`, by <bdi>${last.name}</bdi>`;
  const strip = isWhole ? stripHtml([first, ...replies], count) : '';
  return html`${strip}<nav class="map" aria-label="Replies">
<a href="#${last.id}">${isWhole ? 'the last' : 'the last on this page'}${author}, ${lastTime}</a>
<details><summary>${total}: ${kinds}</summary>
<ol>${lines}</ol></details></nav>
`;
}

/** A limit, because hundreds of posts may refer to a first post. */
const MAX_SHOWN = 6;

type ToHref = (id: string) => string;

/** What later messages say of a RESULT, which a reader must not miss. */
function stateHtml({ replacedBy, correctedBy, reviewedBy }: Lineage, toHref: ToHref): Html {
  const nameHtml = (name: string | null): Html =>
    name === null ? html`somebody without a name` : html`<bdi>${name}</bdi>`;
  const parts = [
    ...(replacedBy === undefined ? [] : [replacedBy]).map(
      ({ id, createdAt }) => html`<strong>Replaced</strong> by <a href="${toHref(id)}">a newer RESULT,
${formatDate(createdAt, createdAt)}</a>`,
    ),
    ...correctedBy.map(
      ({ id, name }) => html`<a href="${toHref(id)}">${nameHtml(name)} posted a correction</a>`,
    ),
    ...reviewedBy.map(
      ({ id, name, outcome }) =>
        html`<a href="${toHref(id)}">${outcome ?? 'reviewed'} by ${nameHtml(name)}</a>`,
    ),
  ];
  return parts.length === 0
    ? html``
    : html`<p class="state">${parts.map((part) => html`<span>${part}</span> `)}</p>\n`;
}

export function trailHtml({ referredToBy }: Lineage, toHref: ToHref): Html {
  if (referredToBy.length === 0) return html``;
  const links = referredToBy.slice(0, MAX_SHOWN).map(({ id, prefix, name }, index) => {
    const author = name === null ? '' : html` by <bdi>${name}</bdi>`;
    return html`${index === 0 ? '' : ', '}<a href="${toHref(id)}">${prefix ?? 'message'}${author}</a>`;
  });
  const others = referredToBy.length - links.length;
  return html`<p class="trail"><span>Referred to by ${links}${others === 0 ? '' : ` and ${others} more`}</span></p>\n`;
}
