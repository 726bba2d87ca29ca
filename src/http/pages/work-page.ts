import * as z from 'zod';
import { html, type Html } from '#http/html/html.ts';
import { wordsField } from '#workspace/schemas/feed-query.ts';
import { choiceField } from '#workspace/schemas/fields.ts';
import { WorkQuery, type WorkBoard } from '#workspace/schemas/work.ts';
import { ADDRESS } from '#http/rest/tool-arguments.ts';
import { parseInput } from '#tool/call-tool.ts';
import { toSearch, type Page, type PageContext, type PageQuery } from './parts/page.ts';
import { toReferences, type References } from './parts/marks.ts';
import { messageListMarkdown, messageListHtml, withText, type ListedMessage } from './parts/message-list.ts';
import { noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { pagerHtml } from './parts/pager.ts';
import { timeHtml } from './parts/byline.ts';
import { formatMinute } from '#http/html/formats.ts';

type Board = z.infer<typeof WorkBoard>;
type Item = Board['ideas'][number] &
  Partial<Pick<Board['working'][number], 'dueAt' | 'dueAssumed'>> &
  Partial<Pick<Board['toReview'][number], 'underWay'>>;
type UnderWay = Board['toReview'][number]['underWay'][number];

type ListedItem = Item & ListedMessage;

interface ShownList {
  readonly list: string;
  readonly label: string;
  readonly meaning: string;
  readonly count: number;
  readonly items: readonly ListedItem[];
}

const LIMIT = 20;
const MAX_AGE_MS = 60_000;

const INTRODUCTION =
  'These lists show what messages announce. Nothing is verified or reserved: anyone may do better.';

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
      const board = await workspace.work(input, {}, expireAt);
      const lists = WORK_LISTS.filter(({ list }) => input.list === undefined || input.list === list);
      const { messages, names } = await workspace.feed.place(
        lists.flatMap(({ list }) => board[list].map((item: Item) => ({ ...withText(item), list }))),
      );
      const references = toReferences(context, names);
      const shown = lists.map((one) => ({
        ...one,
        count: board.counts[one.list],
        items: messages.filter(({ list }) => list === one.list),
      }));
      const older = board.nextBefore === null ? undefined : { ...query, before: board.nextBefore };
      return {
        title: 'Work',
        description: 'Open ideas, work under way, overdue work, and results to review.',
        canonical: '/work',
        isListed: Object.keys(query).length === 0,
        body: () => html`${noticeHtml()}
<p>${INTRODUCTION}</p>
${shown.map(
  ({ list, label, meaning, count, items }) => html`<h2 id="${list}">${label}: ${formatCount(count)}</h2>
<p class="quiet">${meaning}</p>
${itemsHtml(context, items, references)}
${input.list === undefined && items.length < count ? allLink(href(`/work?list=${list}`), label) : ''}\n`,
)}
${pagerHtml([
  input.list === undefined ? undefined : { rel: 'up', href: href('/work'), label: 'All lists' },
  older === undefined ? undefined : { rel: 'next', href: href(`/work${toSearch(older)}`), label: 'Older' },
])}`,
        markdown: () => workMarkdown(context, shown, older),
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
  return messageListHtml(context, items, { references, extra: (item) => factsHtml(context, item) });
}

function factsHtml(
  { href }: PageContext,
  { dueAt, dueAssumed, underWay = [], overdue = [] }: ListedItem,
): Html {
  const assumed = dueAssumed === true ? ' (assumed)' : '';
  const due = dueAt === undefined ? '' : html` <span>due ${timeHtml(dueAt)}${assumed}</span>`;
  const workHtml = (works: readonly UnderWay[], state: string): Html =>
    html`${works.map(
      ({ id, dueAt: until }) =>
        html` <span>${state}: <a href="${href(`/posts/${id}`)}">WORK, due ${timeHtml(until)}</a></span>`,
    )}`;
  return html`${due}${workHtml(underWay, 'under way')}${workHtml(overdue, 'overdue')}`;
}

function workMarkdown(
  { href }: PageContext,
  lists: readonly ShownList[],
  older: PageQuery | undefined,
): string[] {
  const describe = (state: string, { id, dueAt }: UnderWay): string =>
    `${state}: ${id} (due ${formatMinute(dueAt)} UTC)`;
  const parts = lists.flatMap(({ list, label, meaning, count, items }) => [
    `# ${label}: ${formatCount(count)}`,
    meaning,
    messageListMarkdown(items, ({ dueAt, dueAssumed, underWay = [], overdue = [] }) => {
      const assumed = dueAssumed === true ? ' (assumed)' : '';
      const due = dueAt === undefined ? [] : [`due ${formatMinute(dueAt)} UTC${assumed}`];
      return [
        ...due,
        ...underWay.map((work) => describe('under way', work)),
        ...overdue.map((work) => describe('overdue', work)),
      ];
    }),
    ...(lists.length > 1 && items.length < count ? [`All: ${href(`/work.md?list=${list}`)}`] : []),
  ]);
  const more = older === undefined ? [] : [`Older: ${href(`/work.md${toSearch(older)}`)}`];
  return [NOTICE_MARKDOWN, INTRODUCTION, ...parts, ...more].filter(Boolean);
}

/** The lists of work on pages, in their order. */
export const WORK_LISTS = [
  {
    list: 'ideas',
    label: 'Open ideas',
    meaning: 'Each still has something to do. Ideas that someone is working on come last.',
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
    meaning: 'Reviews confirm part of each result, and none contradicts it.',
  },
  {
    list: 'disputed',
    label: 'Disputed results',
    meaning: 'Their reviews contradict each other, or none confirms the result.',
  },
] as const;

const SHOWN_LISTS = WORK_LISTS.map(({ list }) => list);
