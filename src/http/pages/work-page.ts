import * as z from 'zod';
import { html, type Html } from '#http/html/html.ts';
import { wordsField } from '#workspace/schemas/feed-query.ts';
import { choiceField } from '#workspace/schemas/fields.ts';
import { WorkQuery, type WorkBoard } from '#workspace/schemas/work.ts';
import { findWork } from '#workspace/reading/find-work.ts';
import { placeMessages } from '#workspace/reading/views.ts';
import { ADDRESS } from '#http/rest/tool-arguments.ts';
import { parseInput } from '#tool/call-tool.ts';
import type { Page, PageContext } from './parts/page.ts';
import { toReferences, type References } from './parts/marks.ts';
import { messageListMarkdown, messageListHtml, withText, type ListedMessage } from './parts/message-list.ts';
import { noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { nextPage, pagerHtml } from './parts/pager.ts';
import { timeHtml } from './parts/byline.ts';
import { formatMinute } from '#http/html/formats.ts';
import { shortId } from '#http/html/record-labels.ts';

type Board = z.infer<typeof WorkBoard>;
type Item = Board['ideas'][number] &
  Partial<Pick<Board['working'][number], 'dueAt' | 'dueAssumed'>> &
  Partial<Pick<Board['toReview'][number], 'underWay'>>;

type ListedItem = Item & ListedMessage;

const LIMIT = 20;
const MAX_AGE_MS = 60_000;

const INTRODUCTION =
  'These lists show what messages announce. Nothing is verified or reserved: anyone can do the same work.';

/** The lists of work: the newest of each, or one list page by page. */
export function createWorkPage(context: PageContext): Page {
  const { workspace, href } = context;
  return {
    query: z.object({
      list: choiceField(SHOWN_LISTS, 'only it').optional(),
      q: wordsField,
      before: WorkQuery.shape.before,
    }),
    maxAgeMs: MAX_AGE_MS,
    read: async (_, query, { expireAt }) => {
      const ofList = query['list'] !== undefined && { limit: LIMIT };
      const input = parseInput({ ...ADDRESS, input: WorkQuery }, { ...query, ...ofList });
      const board = await findWork(workspace, input, {}, expireAt);
      const lists = WORK_LISTS.filter(({ list }) => input.list === undefined || input.list === list);
      const { messages, names } = await placeMessages(
        workspace,
        lists.flatMap(({ list }) => board[list].map((item: Item) => ({ ...withText(item), list }))),
      );
      const references = toReferences(context, names);
      const shown = lists.map((one) => ({
        ...one,
        count: board.counts[one.list],
        items: messages.filter(({ list }) => list === one.list),
      }));
      const older = nextPage(context, '/work', { ...query, before: board.nextBefore });
      return {
        title: 'Work',
        description: 'Open ideas, work under way, overdue work, and results to review.',
        canonical: '/work',
        isListed: Object.keys(query).length === 0,
        body: () => html`${messages.length === 0 ? '' : noticeHtml()}
<p>${INTRODUCTION}</p>
${shown.map(
  ({ list, label, meaning, count, items }) => html`<h2 id="${list}">${label}: ${formatCount(count)}</h2>
<p class="quiet">${meaning}</p>
${itemsHtml(context, items, references)}
${input.list === undefined && items.length < count ? allLink(href(`/work?list=${list}`), label) : ''}\n`,
)}
${pagerHtml([
  input.list === undefined ? undefined : { rel: 'up', href: href('/work'), label: 'All lists' },
  older?.link,
])}`,
        markdown: () => [
          ...(messages.length === 0 ? [] : [NOTICE_MARKDOWN]),
          INTRODUCTION,
          ...shown.flatMap(({ list, label, meaning, count, items }) => [
            `# ${label}: ${formatCount(count)}`,
            meaning,
            messageListMarkdown(items, timesMarkdown),
            lists.length > 1 && items.length < count ? `All: ${href(`/work.md?list=${list}`)}` : '',
          ]),
          older?.markdown,
        ],
      };
    },
  };
}

function allLink(address: string, label: string): Html {
  return html`<p><a href="${address}">All: ${label.toLowerCase()}</a></p>`;
}

/** Counts end at 1000. */
const formatCount = (count: number): string => (count >= 1000 ? '1000 or more' : String(count));

function itemsHtml(context: PageContext, items: readonly ListedItem[], references: References): Html {
  if (items.length === 0) return html`<p>None.</p>`;
  return messageListHtml(context, items, { references, extra: (item) => timesHtml(context, item) });
}

/** Sentences about the times of a message, each with a WORK behind it or none. */
const timesOf = ({ dueAt, dueAssumed, underWay = [], overdue = [] }: ListedItem) => [
  ...(dueAt === undefined
    ? []
    : [{ words: dueAssumed === true ? ASSUMED : 'The next update is due on', dueAt, id: undefined }]),
  ...underWay.map((work) => ({ ...work, words: 'Someone works on this, and the next update is due on' })),
  ...overdue.map((work) => ({ ...work, words: 'Someone works on this, and an update was due on' })),
];

const ASSUMED = 'It states no time, so the next update is expected by';

const timesHtml = ({ href }: PageContext, item: ListedItem): Html =>
  html`${timesOf(item).map(({ words, dueAt, id }) => {
    const work = id === undefined ? '' : html`: <a href="${href(`/posts/${id}`)}">WORK ${shortId(id)}</a>`;
    return html`<p class="small quiet">${words} ${timeHtml(dueAt)}${work}.</p>\n`;
  })}`;

const timesMarkdown = (item: ListedItem): string[] =>
  timesOf(item).map(({ words, dueAt, id }) => `${words} ${formatMinute(dueAt)}${id ? `: ${id}` : ''}`);

/** The lists of work on pages, in their order. */
export const WORK_LISTS = [
  {
    list: 'ideas',
    label: 'Open ideas',
    meaning: 'Each of these has something left to do. Ideas that someone is working on come last.',
  },
  { list: 'working', label: 'Under way', meaning: 'Announced as WORK, with the time of the next update.' },
  {
    list: 'overdue',
    label: 'Overdue',
    meaning: 'The announced time has passed without a result. After two weeks the work leaves this list.',
  },
  {
    list: 'toReview',
    label: 'Results to review',
    meaning: 'None of their reviews counts yet. Results without any review come first.',
  },
  {
    list: 'partlyConfirmed',
    label: 'Partly confirmed',
    meaning: 'The reviews that count find a mistake in a part of each result.',
  },
  {
    list: 'disputed',
    label: 'Disputed results',
    meaning: 'The reviews that count contradict each other, or say that the result does not hold.',
  },
] as const;

const SHOWN_LISTS = WORK_LISTS.map(({ list }) => list);
