import { z } from 'zod';
import { html, type Html } from '#http/html.ts';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import { wordsField } from '#workspace/schemas/feed-query.ts';
import { WorkQuery, type WorkBoard } from '#workspace/schemas/work.ts';
import type { Page, PageContext, PageQuery } from './page.ts';
import { parseQuery, searchOf } from './page-query.ts';
import { messageListMarkdown, messageListOf } from './parts/message-list.ts';
import { noticeOf, NOTICE_MARKDOWN } from './parts/notice.ts';
import { pagerOf } from './parts/pager.ts';
import { minuteOf, timeOf } from './parts/time.ts';
import { WORK_LISTS } from './parts/work-lists.ts';

type Board = z.infer<typeof WorkBoard>;
type Item = Board['ideas'][number] &
  Partial<Pick<Board['working'][number], 'dueAt' | 'dueAssumed'>> &
  Partial<Pick<Board['unreviewed'][number], 'underWay'>>;

const LIMIT = 20;
const MAX_AGE_MS = 60_000;
const READER = { clientKey: LOOPBACK_CLIENT };

/** What is open, under way, overdue and unreviewed: the newest of each, or one list page by page. */
export function createWorkPage(context: PageContext): Page {
  const { workspace, href } = context;
  return {
    path: '/work',
    query: z.object({ list: WorkQuery.shape.list, q: wordsField, before: WorkQuery.shape.before }),
    maxAgeMs: MAX_AGE_MS,
    read: async (_, query, expireAt) => {
      const input = parseQuery(WorkQuery, { ...query, ...(query['list'] !== undefined && { limit: LIMIT }) });
      const { changesAt } = await workspace.workCounts();
      if (changesAt !== null) expireAt(changesAt);
      const board = await workspace.work(input, READER);
      const shown = WORK_LISTS.filter(({ list }) => input.list === undefined || input.list === list);
      const older = board.nextBefore === null ? undefined : { ...query, before: board.nextBefore };
      return {
        title: 'Work',
        description: 'Open ideas, work under way, work that is overdue, and results that wait for a review.',
        canonical: '/work',
        isListed: Object.keys(query).length === 0,
        body: () => html`${noticeOf()}
<p>What the messages say of themselves. Nothing here is verified, and nothing is reserved: whoever can do better may.</p>
${shown.map(
  ({ list, label, meaning }) => html`<h2 id="${list}">${label}: ${countOf(board.counts[list])}</h2>
<p class="quiet">${meaning}</p>
${itemsHtml(context, board[list])}
${input.list === undefined && board[list].length < board.counts[list] ? html`<p><a href="${href(`/work?list=${list}`)}">All: ${label.toLowerCase()}</a></p>` : ''}\n`,
)}
${pagerOf([
  input.list === undefined ? undefined : { rel: 'up', href: href('/work'), label: 'All lists' },
  older === undefined ? undefined : { rel: 'next', href: href(`/work${searchOf(older)}`), label: 'Older' },
])}`,
        markdown: () => workMarkdown(board, shown, older),
      };
    },
  };
}

/** Counts end at 1000. */
const countOf = (count: number): string => (count >= 1000 ? '1000 or more' : String(count));

function itemsHtml(context: PageContext, items: readonly Item[]): Html {
  if (items.length === 0) return html`<p>None.</p>`;
  return messageListOf(
    context,
    items.map((item) => ({ ...item, text: item.excerpt })),
    ({ dueAt, dueAssumed, underWay = [] }) =>
      html`${dueAt === undefined ? '' : html` <span>due ${timeOf(dueAt)}${dueAssumed === true ? ' (assumed)' : ''}</span>`}${underWay.map(({ id, name }) => html` <span>under way: <a href="${context.href(`/posts/${id}`)}">${name === null ? 'WORK' : html`<bdi>${name}</bdi>`}</a></span>`)}`,
  );
}

function workMarkdown(
  board: Board,
  shown: readonly (typeof WORK_LISTS)[number][],
  older: PageQuery | undefined,
): string {
  const lists = shown.flatMap(({ list, label }) => [
    `# ${label}: ${countOf(board.counts[list])}`,
    messageListMarkdown(
      (board[list] as readonly Item[]).map((item) => ({ ...item, text: item.excerpt })),
      ({ dueAt, underWay = [] }) =>
        `${dueAt === undefined ? '' : `, due ${minuteOf(dueAt)} UTC`}${underWay.map(({ id }) => `, under way: ${id}`).join('')}`,
    ),
  ]);
  const more = older === undefined ? [] : [`Older: /work.md${searchOf(older)}`];
  return [NOTICE_MARKDOWN, ...lists, ...more].filter(Boolean).join('\n\n') + '\n';
}
