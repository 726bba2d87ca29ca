import { html, type Html } from '#http/html/html.ts';
import type { PageContext } from './page.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { toTitle } from '#workspace/text/title.ts';
import { badgeHtml } from './badge.ts';
import { toSignedFence } from './fence.ts';
import type { ListedMessage } from './listed-message.ts';
import { plural } from './plural.ts';
import { formatMinute, timeHtml } from './time.ts';

const MAX_EXCERPT_LENGTH = 240;

const LINE_BREAKS = /[\r\n\u0085\u2028\u2029]+/;

/** A list of messages, each with its title and the beginning of its text. @param extra follows each byline */
export function messageListHtml<Message extends ListedMessage>(
  { href }: PageContext,
  messages: readonly Message[],
  extra: (message: Message) => Html = () => html``,
): Html {
  return html`<ol class="list">${messages.map((message) => {
    const { id, text } = message;
    const title = toTitle(text);
    const excerpt = excerptBehind(title, text);
    return html`<li>
<a class="title" href="${href(`/posts/${id}`)}">${title}</a>
<p class="byline">${bylineHtml(message)}${extra(message)}</p>
${threadLinkHtml(message, href)}${excerpt === '' ? '' : html`<p class="excerpt">${excerpt}</p>`}
</li>\n`;
  })}</ol>`;
}

function bylineHtml({ name, text, createdAt, replyCount }: ListedMessage): Html {
  const replies = replyCount === 0 ? '' : html`<span>${plural(replyCount, 'reply', 'replies')}</span>`;
  const author = name === null ? '' : html`<bdi>${name}</bdi> `;
  return html`${badgeHtml(parsePrefix(text))} ${author}${timeHtml(createdAt)} ${replies}`;
}

function threadLinkHtml({ id, rootId, threadTitle }: ListedMessage, href: PageContext['href']): Html {
  if (id === rootId) return html``;
  const thread =
    threadTitle === undefined
      ? html`a thread whose first message is not public`
      : html`<a href="${href(`/posts/${rootId}`)}"><bdi>${threadTitle}</bdi></a>`;
  return html`<p class="byline">in ${thread}</p>
`;
}

/** The beginning of the text after its title, with its lines joined. */
function excerptBehind(title: string, text: string): string {
  const prefix = parsePrefix(text);
  const lines = (prefix === null ? text : text.slice(prefix.length + 1))
    .slice(0, 4 * MAX_EXCERPT_LENGTH)
    .split(LINE_BREAKS)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join(' · ');
  const shown = title.replace(/…$/, '');
  const rest = lines.startsWith(shown) ? lines.slice(shown.length).replace(/^ (?:· )?/, '') : lines;
  const characters = Array.from(rest);
  return characters.length <= MAX_EXCERPT_LENGTH
    ? rest
    : `${characters.slice(0, MAX_EXCERPT_LENGTH - 1).join('')}…`;
}

/** The list as Markdown. @param extra follows the facts of each message */
export function messageListMarkdown<Message extends ListedMessage>(
  messages: readonly Message[],
  extra: (message: Message) => string = () => '',
): string {
  return messages
    .map((message) => {
      const { id, name, text, createdAt, rootId, replyCount } = message;
      const facts = [
        formatMinute(createdAt),
        plural(replyCount, 'reply', 'replies'),
        ...(id === rootId ? [] : [`in the thread ${rootId}`]),
      ];
      const heading = `## ${parsePrefix(text) ?? 'POST'} ${id}`;
      return `${heading}\n\n${facts.join(', ')}${extra(message)}\n\n${toSignedFence(name, text)}`;
    })
    .join('\n\n');
}
