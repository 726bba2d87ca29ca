import type { Remarks } from '#work/message-view.ts';
import type { ShownStanding } from '#work/standing-view.ts';
import { withNumbers } from '#http/html/record-labels.ts';
import { html, type Html } from '#http/html/html.ts';
import { authorHtml, badgeHtml, kindClass, timeHtml } from './byline.ts';
import { cutExcerpt, markHits, toPlainRest, toPlainText } from './excerpt.ts';
import { toEntry, toSignedFence } from '#http/html/stranger-text.ts';
import {
  marksHtml,
  marksMarkdown,
  verdictHtml,
  verdictMarkdown,
  type Marked,
  type References,
} from './marks.ts';
import type { PageContext } from './page.ts';
import { besideStanding, standingHtml, standingWords } from '#http/html/standings.ts';
import type { ThreadFields } from '#workspace/reading/views.ts';
import { plural, formatMinute, formatTime } from '#http/html/formats.ts';

export interface ListedMessage
  extends ThreadFields,
    Marked,
    Pick<ShownStanding, 'standing' | 'others' | 'newerEdition'> {
  readonly id: string;
  readonly prefix: string | null;
  /** The text, or its beginning. */
  readonly text: string;
  readonly createdAt: string;
  readonly rootId: string;
  readonly replyCount: number;
  /** Absent if the text is cut. */
  readonly remarks?: Remarks;
  /** More content below it, and more facts for Markdown. */
  readonly besides?: { readonly html: Html; readonly facts: readonly string[] };
}

interface ListOptions {
  /** The messages that marks and remarks name. */
  readonly references: References;
  /** The day above the list, which times leave out. */
  readonly day?: string;
  readonly query?: string | undefined;
}

/** Returns the URL of a thread. Each new message changes it, so browsers show the thread as unvisited. */
export const threadPath = ({ rootId, threadSize }: Pick<ListedMessage, 'rootId' | 'threadSize'>): string =>
  `/posts/${rootId}#n${threadSize}`;

/** Shows messages in cards. Neighbours in a thread share a card, with a line for each below the title. */
export function messageListHtml(
  context: PageContext,
  messages: readonly ListedMessage[],
  options: ListOptions,
): Html {
  const cards: ListedMessage[][] = [];
  for (const message of messages) {
    const last = cards.at(-1);
    if (last?.[0]?.rootId === message.rootId) last.push(message);
    else cards.push([message]);
  }
  return html`<ol class="list${options.query === undefined ? '' : ' found'}">${cards.map((card) => cardHtml(context, card, options))}</ol>`;
}

function cardHtml(context: PageContext, card: readonly ListedMessage[], options: ListOptions): Html {
  const [first] = card;
  if (first === undefined) return html``;
  const { rootId } = first;
  const title = first.id === rootId ? withNumbers(first.title, first.named) : first.threadTitle;
  const titleHtml =
    title === undefined
      ? html`<p class="small quiet">In a thread whose first message is not public</p>`
      : html`<a class="title" dir="auto" href="${context.href(threadPath(first))}">${markHits(withNumbers(title), options.query)}</a>`;
  const rows = card.map((message) => rowHtml(context, message, options));
  const kind = card.length === 1 ? kindClass(first.prefix) : 'several';
  return html`<li class="${kind}">
${titleHtml}
<ul class="rows">${rows}</ul></li>\n`;
}

/** Shows the writer, the time, the standing, and an excerpt that links to the message. */
function rowHtml(
  context: PageContext,
  message: ListedMessage,
  { references, day, query }: ListOptions,
): Html {
  const { id, rootId, prefix, name, createdAt, remarks = {}, besides } = message;
  const isFirst = id === rootId;
  const verdict = verdictHtml(remarks, references);
  const count = countReplies(message);
  const replies = isFirst && count > 0 ? html` <span>${plural(count, 'reply', 'replies')}</span>` : '';
  return html`<li><p class="byline">${badgeHtml(prefix)} ${authorHtml(context, name)}${marksHtml({ ...message, ...remarks }, references)}
${timeHtml(createdAt, formatTime(createdAt, day))}${verdict === undefined ? standingHtml(message) : html` ${verdict}`}${replies}</p>
${excerptHtml(context, message, query)}${besides?.html}</li>\n`;
}

/** @returns all replies in its thread for a first post, the direct replies for any other post */
const countReplies = ({ id, rootId, replyCount, threadSize }: ListedMessage): number =>
  id === rootId ? threadSize - 1 : replyCount;

/** An excerpt that links to the message. For a first post it begins after the title, which is the link. */
function excerptHtml({ href }: PageContext, message: ListedMessage, query: string | undefined): Html {
  const { id, rootId, title, text, named } = message;
  const plain = id === rootId ? toPlainRest(title, text, query) : toPlainText(text, query) || title;
  const excerpt = markHits(cutExcerpt(withNumbers(plain, named), query), query);
  if (id !== rootId) return html`<a class="excerpt" href="${href(`/posts/${id}`)}">${excerpt}</a>`;
  return excerpt.text === '' ? excerpt : html`<p class="excerpt">${excerpt}</p>`;
}

export function messageListMarkdown(messages: readonly ListedMessage[]): string {
  return messages
    .map((message) => {
      const { id, name, prefix, text, createdAt, rootId, threadTitle, remarks = {} } = message;
      const isFirst = id === rootId;
      const hidden = threadTitle === undefined ? ', whose first message is not public' : '';
      const facts = [
        formatMinute(createdAt),
        plural(countReplies(message), 'reply', 'replies'),
        isFirst ? '' : `in the thread ${rootId}${hidden}`,
        standingWords(message),
        ...besideStanding(message),
        ...marksMarkdown({ ...message, ...remarks }),
        ...verdictMarkdown(remarks),
        ...(message.besides?.facts ?? []),
      ];
      const fenced = toSignedFence(name, text, { in: isFirst ? undefined : threadTitle });
      return toEntry(`## ${prefix ?? 'POST'} ${id}`, facts, fenced);
    })
    .join('\n\n');
}
