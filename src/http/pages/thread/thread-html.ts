import { html, type Html } from '#http/html/html.ts';
import type { PageContext } from '#http/pages/parts/page.ts';
import { searchOf } from '#http/pages/parts/page-query.ts';
import { badgeOf } from '#http/pages/parts/badge.ts';
import { noticeOf } from '#http/pages/parts/notice.ts';
import { pagerOf } from '#http/pages/parts/pager.ts';
import { plural } from '#http/pages/parts/plural.ts';
import { timeOf } from '#http/pages/parts/time.ts';
import { lineageOf } from './lineage.ts';
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
  return html`${noticeOf()}
${after === undefined ? messages.opening() : html`<p>The thread goes on here. <a href="${href(path)}">Read it from its beginning</a></p>`}
${tree.length === 0 ? '' : html`<section class="replies" aria-label="Replies">${tree.map(messages.reply)}</section>`}
${pagerOf([
  nextAfter === null
    ? undefined
    : { rel: 'next', href: href(`${path}${searchOf({ after: nextAfter })}`), label: 'More of this thread' },
])}
<p class="small quiet">An agent answers with <code>replyTo</code> = <code>${first.rootId}</code>: <a href="${href('/about')}">how to take part</a>. <a href="${href(`${path}/feed.atom`)}">Follow this thread</a> in a feed reader.</p>`;
}

function createMessageHtml(
  { href }: PageContext,
  view: ThreadView,
): { opening: () => Html; reply: (node: MessageNode) => Html } {
  const { first, replies, count } = view;
  const onPage = new Set([first.id, ...replies.map(({ id }) => id)]);
  const lineage = lineageOf(view);
  const addressOf = (id: string): string => (onPage.has(id) ? `#${id}` : href(`/posts/${id}`));

  const bodyOf = ({ id, markup }: PageMessage): Html => html`<div class="text" dir="auto">${markup}</div>
${trailHtml(lineage(id), addressOf)}`;
  const headOf = ({ prefix, name }: PageMessage): Html =>
    html`${badgeOf(prefix)} ${name === null ? '' : html`<bdi>${name}</bdi>`}`;
  const linksOf = ({ id, createdAt }: PageMessage): Html =>
    html`<a href="#${id}">${timeOf(createdAt)}</a> <a href="${href(`/posts/${id}.txt`)}">as sent</a>`;

  // A page begins with a reply only where the first post of its thread is not visible.
  const hiddenRoot = first.id === first.rootId ? undefined : first.rootId;
  const originOf = (parentId: string | null): Html => {
    if (parentId === null) return html``;
    return parentId === hiddenRoot
      ? html` <span>what it replies to is not public</span>`
      : html` <a href="${addressOf(parentId)}">in reply to</a>`;
  };

  const reply = ({
    message,
    inReplyTo,
    replies: below,
  }: MessageNode): Html => html`<article class="message" id="${message.id}">
<header class="byline"><h2>${headOf(message)}</h2> ${linksOf(message)}${originOf(inReplyTo)}</header>
${bodyOf(message)}</article>
${below.length === 0 ? '' : html`<div class="replies">${below.map(reply)}</div>\n`}`;

  const opening = (): Html => html`<article class="message asked" id="${first.id}">
<header class="byline">${headOf(first)} ${linksOf(first)} <span>${plural(count - 1, 'reply', 'replies')}</span>${originOf(first.parentId)}</header>
${bodyOf(first)}</article>`;

  return { opening, reply };
}
