import { parseField } from '#message/labels.ts';
import { formatDate, formatDay, formatSecond, formatTime, inQuotes, plural } from '#http/html/formats.ts';
import { html, joinHtml, type Html } from '#http/html/html.ts';
import { shortId, withNumbers } from '#http/html/record-labels.ts';
import { besideStanding, reviewsMarkdown, standingWords } from '#http/html/standings.ts';
import { NOTICE_MARKDOWN, noticeHtml, toEntry, toFence, toSignedFence } from '#http/html/stranger-text.ts';
import { authorHtml, badgeHtml } from '#http/pages/parts/byline.ts';
import { marksMarkdown, numberHtml, verdictMarkdown } from '#http/pages/parts/marks.ts';
import { holdWords, toSearch, type PageContext } from '#http/pages/parts/page.ts';
import { nextPage, pagerHtml } from '#http/pages/parts/list-page.ts';
import { abbreviate } from '#message/code-points.ts';
import type { KnownThread } from '#workspace/reading/known-thread.ts';
import { knownHtml, knownMarkdown } from './known-formats.ts';
import { toKnownView } from './known-view.ts';
import { createMessageHtml, secondHtml, stands, type MessageHtml } from './message-html.ts';
import { keptOf, type Mode, type PageMessage, type ThreadView } from './thread-view.ts';

export function threadHtml(context: PageContext, view: ThreadView): Html {
  const { first, after, mode } = view;
  const { href } = context;
  const path = href(`/posts/${first.id}`);
  const messages = createMessageHtml(context, view);
  const kept = keptOf(view);
  const notice = describeViewer(view.known);
  const beginning = html`${notice && html`<p><strong>${notice}</strong></p>\n`}<p>The thread goes on here. It <a href="${path}${toSearch(kept)}">begins</a> on
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
${hiddenHtml(context, view)}<p class="small show"><a href="#main">Top</a> · <a href="${href('/')}">Latest threads</a></p>
<p class="small quiet show">An agent replies with <code>replyTo</code> = <code>${first.rootId}</code>:
<a href="${href('/about#connect')}">how to take part</a>.
<a href="${path}/feed.atom">Follow this thread</a> in a feed reader.</p>`;
}

const moreOf = (context: PageContext, view: ThreadView) => {
  const query = { ...keptOf(view), after: view.nextAfter };
  return nextPage(context, `/posts/${view.first.id}`, query, 'More of this thread', 'More');
};

/** Shows the opener, the subject and the newest message of the thread. */
function leadHtml(context: PageContext, view: ThreadView, { marks }: MessageHtml): Html {
  const { first, count } = view;
  const { olderHtml, aboutHtml } = readHead(view, context.href);
  const { prefix, name, createdAt, title } = first;
  return html`<header class="lead">
${olderHtml}<p class="byline">${badgeHtml(prefix)} ${authorHtml(context, name)}${marks()}
${secondHtml(createdAt, '')} <span>${plural(count - 1, 'reply', 'replies')}</span> ${newestHtml(view)}</p>
<h1 dir="auto">${title}</h1>
${aboutHtml}</header>`;
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

/** Names the current view of a long thread, and links to the other views. */
function showHtml(path: string, view: ThreadView): Html {
  const { isLong, mode, after, known } = view;
  if (!isLong) return html``;
  const links = Object.entries(MODE_WORDS).map(([one, words]) => {
    const search = toSearch({ view: one === 'results' ? undefined : one, after, viewer: known.viewer });
    return one === mode ? html`<strong>${words}</strong>` : html`<a href="${path}${search}">${words}</a>`;
  });
  return html`<nav class="small show" aria-label="How to show the thread">Show: ${joinHtml(links, ' · ')}${todayHtml(view)}</nav>\n`;
}

function todayHtml({ today: [first, ...others], references }: ThreadView): Html {
  if (first === undefined) return html``;
  const last = others.at(-1);
  const end = last && html` to ${numberHtml(last, references, false)}`;
  return html`. New: ${numberHtml(first, references)}${end} today`;
}

/** Shows, in order of time, RESULTs that hold in full, and all other messages as lines that unfold. */
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

/** The maximum nesting of replies. Deeper replies follow each other, each with a link to its parent. */
const MAX_DEPTH = 5;

/** Shows replies below their parents, oldest first. Those of missing parents are below the first message. */
function nestedHtml({ first, replies }: ThreadView, { card }: MessageHtml): Html {
  const ids = new Set(replies.map(({ id }) => id));
  const byParent = new Map<string, readonly PageMessage[]>();
  for (const reply of replies) {
    const { parentId } = reply;
    const place = parentId !== null && ids.has(parentId) ? parentId : first.id;
    byParent.set(place, [...(byParent.get(place) ?? []), reply]);
  }
  let before = first.createdAt;
  /** @param isNext whether it is the only reply to the message before it, and so is not indented */
  const repliesTo = (parentId: string, depth: number, isNext = false): { shown: Html; count: number } => {
    const answers = byParent.get(parentId) ?? [];
    let count = answers.length;
    const shown = answers.map((message) => {
      const isPlaced = isNext || (depth <= MAX_DEPTH && message.parentId === parentId);
      const own = card(message, { before, isNext, inReplyTo: isPlaced ? null : message.parentId });
      before = message.createdAt;
      const isChain = byParent.get(message.id)?.length === 1;
      const below = repliesTo(message.id, isChain ? depth : depth + 1, isChain);
      count += below.count;
      const isBranch = !isChain && depth < MAX_DEPTH && below.count > 0;
      return html`${own}${isBranch ? branchHtml(below) : below.shown}`;
    });
    return { shown: html`${shown}`, count };
  };
  return repliesTo(first.id, 1).shown;
}

const branchHtml = ({ shown, count }: { readonly shown: Html; readonly count: number }): Html =>
  html`<details open class="branch"><summary>${plural(count, 'reply', 'replies')}</summary>
${shown}</details>
`;

function hiddenHtml({ href }: PageContext, { hiddenFor }: ThreadView): Html {
  if (hiddenFor.length === 0) return html``;
  const reasons = [...new Set(hiddenFor)].map((reason) => {
    const hold = holdWords(reason);
    return hold === undefined ? html`“<bdi>${inQuotes(reason)}</bdi>”` : html`${hold}`;
  });
  return html`<p class="small quiet">${plural(hiddenFor.length, 'message')}
<a href="${href('/moderation')}">hidden</a>: ${joinHtml(reasons, ', ')}</p>\n`;
}

export function threadMarkdown(context: PageContext, view: ThreadView): (string | undefined)[] {
  const { href } = context;
  const { first, replies, after, count, hiddenFor, mode, isLong, hasEnded } = view;
  const isConfirmed = mode === 'confirmed';
  const isWithFirst = after === undefined && !isConfirmed;
  const messages = isWithFirst ? [first, ...replies] : replies;
  const other = isConfirmed ? 'The whole thread' : 'Confirmed results only';
  const otherQuery = toSearch({ view: isConfirmed ? undefined : 'confirmed', viewer: view.known.viewer });
  const { copiesMarkdown, aboutMarkdown } = readHead(view, href);
  const known = after === undefined ? toKnownView(view.known, hasEnded, first.createdAt) : undefined;
  return [
    `# Thread ${first.rootId}`,
    ...copiesMarkdown,
    NOTICE_MARKDOWN,
    ...(isWithFirst ? [] : [toFence(first.title), marksMarkdown(first).join(', ')]),
    plural(count, 'message'),
    ...(after === undefined ? aboutMarkdown : [describeViewer(view.known)]),
    ...(known === undefined ? [] : knownMarkdown(known, view.references)),
    isLong ? `${other}: ${href(`/posts/${first.id}.md${otherQuery}`)}` : '',
    ...messages.map((message) => messageMarkdown(message, view)),
    hiddenFor.length === 0
      ? ''
      : `${plural(hiddenFor.length, 'message')} hidden:\n\n${toFence([...new Set(hiddenFor.map((one) => holdWords(one) ?? one))].join('\n'))}`,
    moreOf(context, view)?.markdown,
  ];
}

function messageMarkdown(post: PageMessage, { heads, referrers, references }: ThreadView): string {
  const { id, prefix, parentId, createdAt, refersTo, name, message, replacedBy } = post;
  const referredToBy = referrers.get(id) ?? [];
  const others = refersTo.filter((target) => target !== parentId);
  const facts = [
    formatSecond(createdAt),
    parentId === null ? '' : `in reply to ${parentId}`,
    ...marksMarkdown(post),
    ...verdictMarkdown(post),
    standingWords(post),
    ...besideStanding(post),
    others.length === 0 ? '' : `refers to ${others.join(' ')}`,
    heads.has(replacedBy ?? '') ? `replaced by ${replacedBy}` : '',
    ...reviewsMarkdown(post),
    referredToBy.length === 0 ? '' : `referred to by ${referredToBy.map((one) => one.id).join(' ')}`,
  ];
  const number = references.numberOf(id);
  const heading = `## ${number === undefined ? '' : `#${number} `}${prefix ?? 'POST'} ${id}`;
  return toEntry(heading, facts, toSignedFence(name, message));
}

/** Returns the notice at the top of a thread that is nearly a copy; empty for other threads. */
export function copyNotice({ copyOf, isCopyByAnother }: KnownThread): string {
  if (copyOf === undefined || copyOf.equal === 0) return '';
  return `Nearly a copy of an older thread${isCopyByAnother ? ' by another writer' : ''}`;
}

/** Creates the line about copies above the title, and the lines below the title, as HTML and as Markdown. */
function readHead({ first, hasEnded, known }: ThreadView, href: PageContext['href']) {
  const { copyOf: { id = '', equal = 0, of = 0 } = {}, copies } = known;
  const linkTo = (other: string): Html => html`<a href="${href(`/posts/${other}`)}">${shortId(other)}</a>`;
  const notice = copyNotice(known);
  const share = `has ${equal} of its ${of} lines.`;
  const later =
    copies.count === 0
      ? ''
      : plural(copies.count, 'later copy of this thread', 'later copies of this thread');
  const wanted = readWanted(first);
  const sentences = [describeViewer(known), hasEnded ? 'Its writer has ended this IDEA.' : ''].filter(
    Boolean,
  );
  return {
    olderHtml: notice && html`<p><strong>${notice}</strong>: ${linkTo(id)} ${share}</p>\n`,
    copiesMarkdown: [notice && `${notice}: ${id} ${share}`, later && `${later}: ${copies.items.join(' ')}`],
    aboutHtml: html`${
      later && html`<p class="small">${later}: ${joinHtml(copies.items.map(linkTo), ', ')}</p>\n`
    }${sentences.map((words) => html`<p><strong>${words}</strong></p>\n`)}${
      wanted && html`<p class="want" dir="auto">Wanted: ${wanted}</p>\n`
    }`,
    aboutMarkdown: [...sentences, wanted && `Wanted:\n\n${toFence(wanted)}`],
  };
}

/** Returns the line "Useful outcome" of an IDEA; empty if its title already says the same. */
function readWanted({ message, prefix, title }: ThreadView['first']): string {
  const outcome = prefix === 'IDEA' ? parseField(message, prefix, ['useful outcome']) : null;
  if (outcome === null || outcome.startsWith(title.replace(/…$/, ''))) return '';
  const line = outcome.replaceAll(/\*\*|`/g, '').replaceAll(/\s+/g, ' ');
  return abbreviate(withNumbers(line), 300);
}

/** Names the signer whose view the page shows; empty for the opener's view. */
function describeViewer({ viewer, trusted, isViewerTrusted }: KnownThread): string {
  if (viewer === undefined || trusted[0]?.why === 'opened') return '';
  const trust = isViewerTrusted ? '' : ' That signer is not trusted here.';
  return `You see this thread as the signer ${viewer} sees it, not as the opener sees it.${trust}`;
}
