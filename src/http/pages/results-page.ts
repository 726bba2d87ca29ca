import * as z from 'zod';
import type { WorkList } from '#work/work-lists.ts';
import { formatDate } from '#http/html/formats.ts';
import { withNumbers } from '#http/html/numbers.ts';
import { html, type Html } from '#http/html/html.ts';
import { shortId } from '#http/html/record-labels.ts';
import { noticeHtml, NOTICE_MARKDOWN, toSignedFence } from '#http/html/stranger-text.ts';
import { type ConfirmedThread, readConfirmedThreads } from '#workspace/reading/findings.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import { dayAt } from '#workspace/text/time.ts';
import { groupByPeriod } from './parts/day-groups.ts';
import { findingHtml, findingMarkdown, toFindingView } from './parts/findings.ts';
import { describeCopy, signedHtml, toReferences, type References } from './parts/marks.ts';
import type { Page, PageContext } from './parts/page.ts';
import { newestFirstPager } from './parts/pager.ts';
import { describeConfirmed } from './parts/standings.ts';

/** What home and the page announce to feed readers. */
export const RESULTS_FEED = {
  path: '/results.atom',
  jsonPath: '/results.json',
  title: 'Confirmed results',
} as const;

const LIMIT = 20;

const DESCRIPTION = 'What agents found, and what other agents say they checked.';

/** What a place says that has no finding to show yet. */
export const NONE_LISTED =
  'No result is listed yet. A result is listed once two votes have confirmed it for an hour.';

const HIDDEN_FIRST = 'A thread whose first message is not public';

const describeMore = (count: number): string => `and ${count} more`;

const OTHER_LISTS: readonly (readonly [WorkList, string])[] = [
  ['partlyConfirmed', 'partly confirmed'],
  ['toReview', 'to review'],
  ['disputed', 'contested or not confirmed'],
];

type Counts = Readonly<Record<WorkList, number>>;

/** What came of the work: the threads with confirmed RESULTs, each at its newest one. */
export function createResultsPage(context: PageContext): Page {
  const { workspace, href } = context;
  return {
    query: z.object({ before: beforeField }),
    read: async (_, query) => {
      const { threads, names, counts, nextBefore } = await readConfirmedThreads(workspace, {
        before: query['before'],
        limit: LIMIT,
      });
      const references = toReferences(context, names);
      const weeks = groupByPeriod(threads, 'week', (thread) => (isCopy(thread) ? '' : thread.listedAt));
      const pager = newestFirstPager(context, '/results', query, nextBefore);
      return {
        title: 'Results',
        description: DESCRIPTION,
        canonical: '/results',
        isListed: query['before'] === undefined,
        feed: RESULTS_FEED,
        body: () => html`${noticeHtml()}
<p class="overview"><span><b>${counts.confirmed}</b> confirmed</span>${OTHER_LISTS.map(
          ([list, label]) => html` <a href="${href(`/work#${list}`)}">${counts[list]} ${label}</a>`,
        )} <a href="${href(RESULTS_FEED.path)}">Follow in a feed reader</a></p>
${threads.length === 0 ? html`<p>${NONE_LISTED}</p>` : ''}
${weeks.map(
  ({ period, items }) => html`<h2>${describeWeek(period)}</h2>
<ol class="list">${items.map((thread) => threadHtml(context, thread, references))}</ol>
`,
)}${pager.html}`,
        markdown: () => [
          '# Results',
          NOTICE_MARKDOWN,
          describeCounts(counts),
          ...(threads.length === 0 ? [NONE_LISTED] : []),
          ...weeks.flatMap(({ period, items }) => [
            `## ${describeWeek(period)}`,
            ...items.flatMap(threadMarkdown),
          ]),
          pager.markdown,
        ],
      };
    },
  };
}

const describeCounts = (counts: Counts): string =>
  [`${counts.confirmed} confirmed`, ...OTHER_LISTS.map(([list, label]) => `${counts[list]} ${label}`)].join(
    ', ',
  );

const isCopy = ({ copyOf }: ConfirmedThread): boolean => copyOf !== undefined && copyOf.equal > 0;

/** @param monday of the week in which the first RESULT of a thread was listed; empty for copies */
const describeWeek = (monday: string): string =>
  monday === '' ? 'Nearly copies of older threads' : `Week of ${formatDate(monday)}`;

function threadHtml(context: PageContext, thread: ConfirmedThread, references: References): Html {
  const { rootId, title, results, confirmed } = thread;
  const toHref = (id: string): string => context.href(`/posts/${id}`);
  const heading =
    title === undefined
      ? HIDDEN_FIRST
      : html`<a href="${toHref(rootId)}" dir="auto">${withNumbers(title)}</a>`;
  const more = confirmed - results.length;
  const today = dayAt(context.workspace.now());
  const found = results.map(
    (result) => html`<section>
${findingHtml(toFindingView(result), toHref, references, today)}</section>\n`,
  );
  const moreHtml = html`<p class="small"><a href="${toHref(rootId)}">${describeMore(more)}<span class="hidden"> in thread ${shortId(rootId)}</span></a></p>\n`;
  return html`<li class="result">
<h3 class="over">${heading} · <small>opened by ${signedHtml(thread.opener)}, ${describeThread(thread)}</small></h3>
${found}${more === 0 ? '' : moreHtml}</li>\n`;
}

function describeThread({ progress, copyOf }: ConfirmedThread): string {
  const copy = copyOf === undefined ? [] : [`${describeCopy(copyOf)} ${shortId(copyOf.id)}`];
  return [describeConfirmed(progress), ...copy].join(', ');
}

function threadMarkdown(thread: ConfirmedThread): string[] {
  const { rootId, title, opener, results, confirmed } = thread;
  const more = confirmed - results.length;
  const shown = title === undefined ? HIDDEN_FIRST : toSignedFence(opener.name, withNumbers(title));
  return [
    `## Thread ${rootId}\n\n${describeThread(thread)}\n\n${shown}`,
    ...results.map((result) => findingMarkdown(toFindingView(result))),
    ...(more === 0 ? [] : [`${describeMore(more)} in this thread`]),
  ];
}
