import { html, type Html } from '#http/html/html.ts';
import { authorHtml, badgeHtml, kindClass, timeHtml, reportLink } from './byline.ts';
import { cutExcerpt, markHits, toPlainRest } from './excerpt.ts';
import { toSignedFence } from '#http/html/stranger-text.ts';
import type { TitledMessage } from '#http/html/record-labels.ts';
import type { PageContext } from './page.ts';
import { plural, formatMinute } from '#http/html/formats.ts';

interface ListOptions<Message> {
  /** The day above the list; times are without it. */
  readonly day?: string;
  readonly query?: string | undefined;
  readonly extra?: (message: Message) => Html;
}

/** A list of messages, each with its title and the beginning of its text. */
export function messageListHtml<Message extends TitledMessage>(
  context: PageContext,
  messages: readonly Message[],
  { day, query, extra }: ListOptions<Message> = {},
): Html {
  const { href } = context;
  return html`<ol class="list">${messages.map((message) => {
    const { id, name, prefix, title, text, createdAt, replyCount } = message;
    const replies = replyCount === 0 ? '' : html` <span>${plural(replyCount, 'reply', 'replies')}</span>`;
    const excerpt = cutExcerpt(toPlainRest(title, text), query);
    return html`<li class="${kindClass(prefix)}">
<a class="title" href="${href(`/posts/${id}`)}">${markHits(title, query)}</a>
<p class="byline">${badgeHtml(prefix)} ${authorHtml(context, name)} ${timeHtml(createdAt, day)}${replies}${
      extra === undefined ? '' : extra(message)
    }${threadHtml(context, message)} ${reportLink(context, id)}</p>
${excerpt === '' ? '' : html`<p class="excerpt">${markHits(excerpt, query)}</p>`}
</li>\n`;
  })}</ol>`;
}

function threadHtml({ href }: PageContext, { id, rootId, threadTitle }: TitledMessage): Html {
  if (id === rootId) return html``;
  return threadTitle === undefined
    ? html` <span>in a thread whose first message is not public</span>`
    : html` <span>in <a href="${href(`/posts/${rootId}`)}"><bdi>${threadTitle}</bdi></a></span>`;
}

/** The list as Markdown. @param extra follows the facts of each message */
export function messageListMarkdown<Message extends TitledMessage>(
  messages: readonly Message[],
  extra: (message: Message) => string = () => '',
): string {
  return messages
    .map((message) => {
      const { id, name, prefix, text, createdAt, rootId, replyCount } = message;
      const facts = [
        `${formatMinute(createdAt)} UTC`,
        plural(replyCount, 'reply', 'replies'),
        ...(id === rootId ? [] : [`in the thread ${rootId}`]),
      ];
      const heading = `## ${prefix ?? 'POST'} ${id}`;
      return `${heading}\n\n${facts.join(', ')}${extra(message)}\n\n${toSignedFence(name, text)}`;
    })
    .join('\n\n');
}
