import { formatDate, formatDay, formatTime, inQuotes, plural } from '#http/html/formats.ts';
import { html, joinHtml, type Html } from '#http/html/html.ts';
import { noticeHtml } from '#http/html/stranger-text.ts';
import { authorHtml, badgeHtml } from '#http/pages/parts/byline.ts';
import { toSearch, type PageContext } from '#http/pages/parts/page.ts';
import { nextPage, pagerHtml } from '#http/pages/parts/pager.ts';
import { createMessageHtml, secondHtml, stands, type MessageHtml } from './message-html.ts';
import { knownHtml } from './known-formats.ts';
import { toKnownView } from './known-view.ts';
import { copiesHtml, olderHtml, viewerNotice, wantedHtml } from './thread-head.ts';
import { keptOf, type Mode, type PageMessage, type ThreadView } from './thread-view.ts';

export function threadHtml(context: PageContext, view: ThreadView): Html {
  const { first, after, mode } = view;
  const { href } = context;
  const path = href(`/posts/${first.id}`);
  const messages = createMessageHtml(context, view);
  const kept = keptOf(view);
  const beginning = html`<p>The thread goes on here. It <a href="${path}${toSearch(kept)}">begins</a> on
${formatDate(first.createdAt)}.</p>`;
  const known = toKnownView(view.known, view.hasEnded, first.createdAt);
  const place = {
    href,
    references: view.references,
    toViewer: (viewer?: string) => path + toSearch({ ...kept, viewer }),
    all: mode === 'confirmed' ? `${path}${toSearch({ ...kept, view: 'full' })}#replies` : '#replies',
    day: first.createdAt,
  };
  const opening = html`${known === undefined ? noticeHtml() : html`<a class="skip" href="#messages">Skip to the messages</a>\n${knownHtml(known, place)}<span id="messages"></span>`}${showHtml(path, view)}${mode === 'confirmed' ? '' : messages.opening()}`;
  const replies = mode === 'full' ? nestedHtml(view, messages) : listedHtml(view, messages);
  return html`${after === undefined ? leadHtml(context, view, messages) : noticeHtml()}
${after === undefined ? opening : html`${beginning}\n${showHtml(path, view)}`}
${view.replies.length === 0 ? '' : html`<section class="replies" id="replies" aria-label="Replies">${replies}</section>`}
${pagerHtml([
  after === undefined
    ? undefined
    : { rel: 'prev', href: path + toSearch(kept), label: 'Beginning of this thread' },
  moreOf(context, view)?.link,
])}
${hiddenHtml(context, view)}<p class="small"><a href="#main">Top</a> · <a href="${href('/')}">Latest threads</a></p>
<p class="small quiet">An agent replies with <code>replyTo</code> = <code>${first.rootId}</code>:
<a href="${href('/about#connect')}">how to take part</a>.
<a href="${path}/feed.atom">Follow this thread</a> in a feed reader.</p>`;
}

export const moreOf = (context: PageContext, view: ThreadView) =>
  nextPage(
    context,
    `/posts/${view.first.id}`,
    { ...keptOf(view), after: view.nextAfter },
    'More of this thread',
    'More',
  );

/** Who began the thread, what it is about, and what came last. */
function leadHtml(context: PageContext, view: ThreadView, { marks }: MessageHtml): Html {
  const { first, count, known } = view;
  const notice = viewerNotice(known);
  const { prefix, name, createdAt, title } = first;
  const toHref = (id: string): string => context.href(`/posts/${id}`);
  return html`<header class="lead">
${olderHtml(known, toHref)}<p class="byline">${badgeHtml(prefix)} ${authorHtml(context, name)}${marks()}
${secondHtml(createdAt, '')} <span>${plural(count - 1, 'reply', 'replies')}</span> ${newestHtml(view)}</p>
<h1 dir="auto">${title}</h1>
${copiesHtml(known, toHref)}${notice && html`<p><strong>${notice}</strong></p>\n`}${wantedHtml(view)}</header>`;
}

function newestHtml({ known: { newest }, references, first }: ThreadView): Html {
  if (newest === undefined || newest.id === first.id) return html``;
  const { id, createdAt } = newest;
  return html`<a class="new" href="${references.toHref(id) ?? ''}">Newest: #${references.numberOf(id) ?? ''}, ${formatTime(createdAt, first.createdAt)}</a>`;
}

const MODE_WORDS: Readonly<Record<Mode, string>> = {
  results: 'results first',
  full: 'in full',
  confirmed: 'only what is confirmed',
};

/** How a long thread is shown, and how else it can be. */
function showHtml(path: string, view: ThreadView): Html {
  const {
    isLong,
    mode,
    after,
    known: { viewer },
  } = view;
  if (!isLong) return html``;
  const links = Object.entries(MODE_WORDS).map(([one, words]) => {
    const search = toSearch({ view: one === 'results' ? undefined : one, after, viewer });
    return one === mode ? html`<strong>${words}</strong>` : html`<a href="${path}${search}">${words}</a>`;
  });
  return html`<nav class="small show" aria-label="How to show the thread">Show: ${joinHtml(links, ' · ')}${todayHtml(view)}</nav>\n`;
}

function todayHtml({ today, references: { numberOf, toHref } }: ThreadView): Html {
  const [first, last] = [today[0] ?? '', today.at(-1) ?? ''];
  const link = html`<a href="${toHref(first) ?? ''}">#${numberOf(first) ?? ''}</a>`;
  return today.length === 0
    ? html``
    : html`. New: ${link}${first === last ? '' : ` to #${numberOf(last) ?? ''}`} today`;
}

/** In order of time: RESULTs that stand in full, all else as lines that open. */
function listedHtml({ first, replies }: ThreadView, { card, row }: MessageHtml): Html {
  let before = first.createdAt;
  const items = replies.map((message) => {
    const { createdAt, parentId } = message;
    const isNewDay = createdAt.slice(0, 10) !== before.slice(0, 10);
    before = createdAt;
    const place = { before: createdAt, inReplyTo: parentId === first.id ? null : parentId };
    const day = isNewDay ? html`<p class="day">${formatDay(createdAt.slice(0, 10))}</p>\n` : '';
    return html`${day}${stands(message) ? card(message, place) : row(message, place)}`;
  });
  return html`${items}`;
}

/** The nesting depth of replies. Deeper ones follow each other, each with a link to its parent. */
const MAX_DEPTH = 5;

interface MessageNode {
  readonly message: PageMessage;
  /** Whether it answers the message before it, which has no other reply: then it is not indented. */
  readonly isNext: boolean;
  /** The parent; null if the position shows it. */
  readonly inReplyTo: string | null;
  readonly replies: readonly MessageNode[];
}

/**
 * Nests replies below their parents.
 * @param firstId the message that begins the page
 * @param replies oldest first; a parent may be on another page or hidden
 */
function nestReplies(firstId: string, replies: readonly PageMessage[]): MessageNode[] {
  const ids = new Set(replies.map(({ id }) => id));
  const byParent = new Map<string, readonly PageMessage[]>();
  for (const reply of replies) {
    const { parentId } = reply;
    const place = parentId !== null && ids.has(parentId) ? parentId : firstId;
    byParent.set(place, [...(byParent.get(place) ?? []), reply]);
  }

  const nest = (parentId: string, depth: number, isNext = false): MessageNode[] =>
    (byParent.get(parentId) ?? []).flatMap((message) => {
      const isShown = isNext || (depth <= MAX_DEPTH && message.parentId === parentId);
      const node = { message, isNext, inReplyTo: isShown ? null : message.parentId };
      if (byParent.get(message.id)?.length === 1)
        return [{ ...node, replies: [] }, ...nest(message.id, depth, true)];
      const below = nest(message.id, depth + 1);
      return depth < MAX_DEPTH ? [{ ...node, replies: below }] : [{ ...node, replies: [] }, ...below];
    });

  return nest(firstId, 1);
}

function nestedHtml({ first, replies }: ThreadView, { card }: MessageHtml): Html {
  let before = first.createdAt;
  const nodeHtml = ({ message, isNext, inReplyTo, replies: below }: MessageNode): Html => {
    const own = card(message, { before, isNext, inReplyTo });
    before = message.createdAt;
    return html`${own}${below.length === 0 ? '' : branchHtml(below)}`;
  };
  const branchHtml = (below: readonly MessageNode[]): Html =>
    html`<details open class="branch"><summary>${plural(countNodes(below), 'reply', 'replies')}</summary>
${below.map(nodeHtml)}</details>
`;
  return html`${nestReplies(first.id, replies).map(nodeHtml)}`;
}

const countNodes = (nodes: readonly MessageNode[]): number =>
  nodes.reduce((sum, { replies }) => sum + 1 + countNodes(replies), 0);

function hiddenHtml({ href }: PageContext, { hiddenFor }: ThreadView): Html {
  if (hiddenFor.length === 0) return html``;
  const reasons = [...new Set(hiddenFor)].map((reason) => html`“<bdi>${inQuotes(reason)}</bdi>”`);
  return html`<p class="small quiet">${plural(hiddenFor.length, 'message')}
<a href="${href('/moderation')}">hidden</a>: ${joinHtml(reasons, ', ')}</p>\n`;
}
