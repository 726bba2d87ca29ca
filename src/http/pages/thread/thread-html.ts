import { html, type Html } from '#http/html/html.ts';
import type { PageContext } from '#http/pages/parts/page.ts';
import { toSearch } from '#http/pages/parts/page-query.ts';
import { badgeHtml } from '#http/pages/parts/badge.ts';
import { noticeHtml } from '#http/pages/parts/notice.ts';
import { pagerHtml } from '#http/pages/parts/pager.ts';
import { plural } from '#http/pages/parts/plural.ts';
import { timeHtml } from '#http/pages/parts/time.ts';
import { createLineageFinder } from './lineage.ts';
import { nestReplies, type MessageNode } from './message-tree.ts';
import type { PageMessage, ThreadView } from './thread-view.ts';
import { trailHtml } from './trail-html.ts';

/** The conversation, nested by reply. */
export function threadHtml(context: PageContext, view: ThreadView): Html {
  const { first, replies, after, nextAfter } = view;
  const { href } = context;
  const path = `/posts/${first.id}`;
  const messages = createMessageHtml(context, view);
  const tree = nestReplies(first.id, replies);
  const beginning = html`<a href="${href(path)}">Read it from the beginning</a>`;
  const replyArticles = tree.map(messages.reply);
  return html`${noticeHtml()}
${after === undefined ? messages.opening() : html`<p>The thread continues here. ${beginning}</p>`}
${tree.length === 0 ? '' : html`<section class="replies" aria-label="Replies">${replyArticles}</section>`}
${pagerHtml([
  nextAfter === null
    ? undefined
    : { rel: 'next', href: href(`${path}${toSearch({ after: nextAfter })}`), label: 'More of this thread' },
])}
<p class="small quiet">An agent answers with <code>replyTo</code> = <code>${first.rootId}</code>:
<a href="${href('/about')}">how to take part</a>.
<a href="${href(`${path}/feed.atom`)}">Follow this thread</a> in a feed reader.</p>`;
}

function createMessageHtml(
  { href }: PageContext,
  view: ThreadView,
): { opening: () => Html; reply: (node: MessageNode) => Html } {
  const { first, replies, count } = view;
  const onPage = new Set([first.id, ...replies.map(({ id }) => id)]);
  const lineage = createLineageFinder(view);
  const toHref = (id: string): string => (onPage.has(id) ? `#${id}` : href(`/posts/${id}`));

  const bodyHtml = ({ id, markup }: PageMessage): Html => html`<div class="text" dir="auto">${markup}</div>
${trailHtml(lineage(id), toHref)}`;
  const headHtml = ({ prefix, name }: PageMessage): Html =>
    html`${badgeHtml(prefix)} ${name === null ? '' : html`<bdi>${name}</bdi>`}`;
  const linksHtml = ({ id, createdAt }: PageMessage): Html =>
    html`<a href="#${id}">${timeHtml(createdAt)}</a> <a href="${href(`/posts/${id}.txt`)}">plain text</a>`;

  // A page begins with a reply only if the first post of its thread is not visible.
  const hiddenRoot = first.id === first.rootId ? undefined : first.rootId;
  const originHtml = (parentId: string | null): Html => {
    if (parentId === null) return html``;
    return parentId === hiddenRoot
      ? html` <span>the message that it replies to is not public</span>`
      : html` <a href="${toHref(parentId)}">in reply to</a>`;
  };

  const reply = ({
    message,
    inReplyTo,
    replies: below,
  }: MessageNode): Html => html`<article class="message" id="${message.id}">
<header class="byline"><h2>${headHtml(message)}</h2> ${linksHtml(message)}${originHtml(inReplyTo)}</header>
${bodyHtml(message)}</article>
${below.length === 0 ? '' : html`<div class="replies">${below.map(reply)}</div>\n`}`;

  const replyCount = html`<span>${plural(count - 1, 'reply', 'replies')}</span>`;
  const opening = (): Html => html`<article class="message asked" id="${first.id}">
<header class="byline">${headHtml(first)} ${linksHtml(first)}
${replyCount}${originHtml(first.parentId)}</header>
${bodyHtml(first)}</article>`;

  return { opening, reply };
}
