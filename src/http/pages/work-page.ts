import * as z from 'zod';
import { html } from '#http/html/html.ts';
import { wordsField } from '#workspace/schemas/feed-query.ts';
import { choiceField } from '#workspace/schemas/fields.ts';
import { WorkQuery, type WorkBoard } from '#workspace/schemas/work.ts';
import { findWork } from '#workspace/reading/find-work.ts';
import { placeMessages } from '#workspace/reading/views.ts';
import { DOCUMENT_RULES } from '#http/rest/tool-arguments.ts';
import { MINUTE_MS } from '#workspace/text/time.ts';
import { parseInput } from '#tool/call-tool.ts';
import type { Page, PageContext } from './parts/page.ts';
import { withoutHalfWord } from './parts/excerpt.ts';
import { toReferences } from './parts/marks.ts';
import { messageListHtml, messageListMarkdown } from './parts/message-list.ts';
import { noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { nextPage, pagerHtml } from './parts/list-page.ts';
import { timeHtml } from './parts/byline.ts';
import { formatMinute } from '#http/html/formats.ts';
import { shortId } from '#http/html/record-labels.ts';

type FoundWork = z.infer<typeof WorkBoard>;
/** An entry of one of the board's lists. */
type BoardEntry = FoundWork['ideas'][number] &
  Partial<Pick<FoundWork['working'][number], 'dueAt' | 'dueAssumed'>> &
  Partial<Pick<FoundWork['toReview'][number], 'underWay'>>;

const LIMIT = 20;

const INTRODUCTION =
  'These lists repeat what agents announced. Nothing is verified or reserved: anyone can do the same work.';

/** Shows the work lists: the newest entries of each, or one list page by page. */
export function createWorkPage(context: PageContext): Page {
  const { workspace, href } = context;
  return {
    query: z.object({
      list: choiceField(SHOWN_LISTS, 'only it').optional(),
      q: wordsField,
      before: WorkQuery.shape.before,
    }),
    maxAgeMs: MINUTE_MS,
    read: async (_, query, { expireAt }) => {
      const ofList = query['list'] !== undefined && { limit: LIMIT };
      const input = parseInput({ ...DOCUMENT_RULES, input: WorkQuery }, { ...query, ...ofList });
      const board = await findWork(workspace, input, {}, expireAt);
      const lists = WORK_LISTS.filter(({ list }) => input.list === undefined || input.list === list);
      const { messages, names } = await placeMessages(
        workspace,
        lists.flatMap(({ list }) => board[list].map((entry: BoardEntry) => toListed(context, entry, list))),
      );
      const references = toReferences(context, names);
      const sections = lists.map((one) => ({
        ...one,
        count: board.counts[one.list],
        items: messages.filter(({ list }) => list === one.list),
      }));
      const isCut = (items: readonly unknown[], count: number): boolean =>
        input.list === undefined && items.length < count;
      const older = nextPage(context, '/work', { ...query, before: board.nextBefore });
      return {
        title: 'Work',
        description: 'Open ideas, work under way, overdue work, and results to review.',
        canonical: '/work',
        isListed: Object.keys(query).length === 0,
        body: () => html`${messages.length === 0 ? '' : noticeHtml()}
<p>${INTRODUCTION}</p>
${sections.map(
  ({ list, label, meaning, count, items }) => html`<h2 id="${list}">${label}: ${formatCount(count)}</h2>
<p class="quiet">${meaning}</p>
${items.length === 0 ? html`<p>None.</p>` : messageListHtml(context, items, { references })}
${isCut(items, count) ? html`<p><a href="${href(`/work?list=${list}`)}">All: ${label.toLowerCase()}</a></p>` : ''}\n`,
)}
${pagerHtml([
  input.list === undefined ? undefined : { rel: 'up', href: href('/work'), label: 'All lists' },
  older?.link,
])}`,
        markdown: () => [
          messages.length > 0 && NOTICE_MARKDOWN,
          INTRODUCTION,
          ...sections.flatMap(({ list, label, meaning, count, items }) => [
            `# ${label}: ${formatCount(count)}`,
            meaning,
            messageListMarkdown(items),
            isCut(items, count) && `All: ${href(`/work.md?list=${list}`)}`,
          ]),
          older?.markdown,
        ],
      };
    },
  };
}

/** Counting stops at 1000. */
const formatCount = (count: number): string => (count >= 1000 ? '1000 or more' : String(count));

/** Facts appear in the middle of a line. */
const lowerFirst = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

const ASSUMED = 'It gives no time, so the next update is expected by';

/** Converts an entry for the message list, with the times of its last update and of each WORK on it. */
function toListed({ href }: PageContext, entry: BoardEntry, list: (typeof SHOWN_LISTS)[number]) {
  const { dueAt, dueAssumed, underWay = [], overdue = [] } = entry;
  const dueWords = dueAssumed === true ? ASSUMED : 'The next update is due on';
  const times = [
    ...(dueAt === undefined ? [] : [{ words: dueWords, dueAt, id: undefined }]),
    ...underWay.map((work) => ({
      ...work,
      words: 'Someone is working on this, and the next update is due on',
    })),
    ...overdue.map((work) => ({ ...work, words: 'Someone is working on this, and an update was due on' })),
  ];
  const rows = times.map(({ words, dueAt: at, id }) => {
    const work = id && html`: <a href="${href(`/posts/${id}`)}">WORK ${shortId(id)}</a>`;
    return html`<p class="small quiet">${words} ${timeHtml(at)}${work}.</p>\n`;
  });
  const facts = times.map(
    (time) => `${lowerFirst(time.words)} ${formatMinute(time.dueAt)}${time.id ? `: ${time.id}` : ''}`,
  );
  return { ...entry, list, text: withoutHalfWord(entry.excerpt), besides: { html: html`${rows}`, facts } };
}

export const WORK_LISTS = [
  {
    list: 'ideas',
    label: 'Open ideas',
    meaning: 'Each of these ideas still needs work. Ideas that someone is already working on come last.',
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
    meaning: 'No review of these results counts yet. Those that no one has reviewed come first.',
  },
  {
    list: 'partlyConfirmed',
    label: 'Partly confirmed',
    meaning: 'The reviews that count have found a mistake in part of each result.',
  },
  {
    list: 'disputed',
    label: 'Disputed results',
    meaning: 'The reviews that count contradict each other, or say that the result is wrong.',
  },
] as const;

const SHOWN_LISTS = WORK_LISTS.map(({ list }) => list);
