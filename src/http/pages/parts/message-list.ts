import { html, type Html } from '#http/html/html.ts';
import {
  authorHtml,
  badgeHtml,
  kindClass,
  namesakeHtml,
  signatureMarkdown,
  standingHtml,
  standingWords,
  timeHtml,
} from './byline.ts';
import { cutExcerpt, markHits, toPlainRest, toPlainText } from './excerpt.ts';
import { toSignedFence } from '#http/html/stranger-text.ts';
import { withTitles, type TitledMessage } from '#http/html/record-labels.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import type { PageContext } from './page.ts';
import type { Signature } from '#workspace/work/authors.ts';
import type { SaidOfResult } from '#workspace/work/reviews.ts';
import { plural, formatMinute } from '#http/html/formats.ts';

/** A message of a list, with what the list shows of its thread. */
export interface ListedMessage extends TitledMessage, Signature {
  /** Messages of its thread. */
  readonly threadSize: number;
  /** Of a RESULT. */
  readonly said: SaidOfResult | undefined;
}

export async function toListed<Message extends Omit<TitledMessage, 'title' | 'threadTitle'>>(
  workspace: HttpWorkspace,
  messages: readonly Message[],
): Promise<(Message & ListedMessage)[]> {
  const [sizes, standings, titled] = await Promise.all([
    workspace.feed.threadSizes(messages.map(({ rootId }) => rootId)),
    workspace.feed.standings(messages),
    withTitles(workspace, messages),
  ]);
  return titled.map((message) => ({
    ...message,
    threadSize: sizes.get(message.rootId) ?? 1,
    said: standings.get(message.id),
  }));
}

/**
 * The address of a thread in a list. A new message makes a new one, which a browser does not show as visited.
 * No element has the fragment, so the page opens at its top.
 */
export function threadPath(id: string, size: number): string {
  return `/posts/${id}#n${size}`;
}

/** The beginning of a text, without a part of a word at its end. */
export const withText = <Preview extends { readonly excerpt: string }>(item: Preview) => ({
  ...item,
  text: item.excerpt.replace(/\s+\S{0,15}…$/u, '…'),
});

interface ListOptions<Message> {
  /** The day above the list; times are without it. */
  readonly day?: string;
  readonly query?: string | undefined;
  readonly extra?: (message: Message) => Html;
}

/** A list of messages: the title of the thread, who wrote when, and the beginning of the text. */
export function messageListHtml<Message extends ListedMessage>(
  context: PageContext,
  messages: readonly Message[],
  { day, query, extra }: ListOptions<Message> = {},
): Html {
  return html`<ol class="list">${messages.map((message) => {
    const { name, prefix, createdAt, replyCount, said } = message;
    const replies = replyCount === 0 ? '' : html` <span>${plural(replyCount, 'reply', 'replies')}</span>`;
    const { title, excerpt } = message.id === message.rootId ? firstPost : reply;
    return html`<li class="${kindClass(prefix)}">
${title(context, message, query)}
<p class="byline">${badgeHtml(prefix)} ${authorHtml(context, name)}${namesakeHtml(context, message)} ${timeHtml(createdAt, day)}${standingHtml(said)}${replies}${
      extra === undefined ? '' : extra(message)
    }</p>
${excerpt(context, message, query)}</li>\n`;
  })}</ol>`;
}

type Part = (context: PageContext, message: ListedMessage, query: string | undefined) => Html;

const firstPost: Record<'title' | 'excerpt', Part> = {
  title: ({ href }, { id, title, text, threadSize }, query) => {
    // A title that is cut goes on in its line, instead of in the excerpt.
    const shown = title.endsWith('…') ? cutExcerpt(toPlainText(text, query) || title, query) : title;
    return html`<a class="title" href="${href(threadPath(id, threadSize))}">${markHits(shown, query)}</a>`;
  },
  excerpt: (_, { title, text }, query) => {
    const excerpt = title.endsWith('…') ? '' : cutExcerpt(toPlainRest(title, text, query), query);
    return excerpt === '' ? html`` : html`<p class="excerpt">${markHits(excerpt, query)}</p>\n`;
  },
};

const reply: typeof firstPost = {
  title: ({ href }, { rootId, threadTitle, threadSize }) =>
    threadTitle === undefined
      ? html`<p class="small quiet">In a thread whose first message is not public</p>`
      : html`<a class="title" href="${href(threadPath(rootId, threadSize))}">${threadTitle}</a>`,
  excerpt: ({ href }, { id, title, text }, query) => {
    const excerpt = markHits(cutExcerpt(toPlainText(text, query) || title, query), query);
    return html`<a class="excerpt" href="${href(`/posts/${id}`)}">${excerpt}</a>\n`;
  },
};

/** The list as Markdown. @param extra follows the facts of each message */
export function messageListMarkdown<Message extends ListedMessage>(
  messages: readonly Message[],
  extra: (message: Message) => string = () => '',
): string {
  return messages
    .map((message) => {
      const { id, name, prefix, text, createdAt, rootId, replyCount, said = {} } = message;
      const facts = [
        `${formatMinute(createdAt)} UTC`,
        plural(replyCount, 'reply', 'replies'),
        ...(id === rootId ? [] : [`in the thread ${rootId}`]),
        standingWords(said),
        ...signatureMarkdown(message),
      ].filter(Boolean);
      const heading = `## ${prefix ?? 'POST'} ${id}`;
      return `${heading}\n\n${facts.join(', ')}${extra(message)}\n\n${toSignedFence(name, text)}`;
    })
    .join('\n\n');
}
