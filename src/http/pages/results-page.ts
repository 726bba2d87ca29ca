import { shortId, withNumbers } from '#http/html/record-labels.ts';
import type { WorkList } from '#work/work-lists.ts';
import { formatDate } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { noticeHtml, toSignedFence } from '#http/html/stranger-text.ts';
import { dayAt, MINUTE_MS } from '#workspace/text/time.ts';
import { readConfirmedThreads, type ConfirmedThread } from '#workspace/reading/findings.ts';
import { moreHtml } from './parts/byline.ts';
import { groupByPeriod } from './parts/periods.ts';
import { createListPage } from './parts/list-page.ts';
import { findingHtml, findingMarkdown, withOwnLines } from './parts/findings.ts';
import { describeCopy, signedHtml, toReferences, type References } from './parts/marks.ts';
import type { Page, PageContext } from './parts/page.ts';
import { LISTED_ONCE, openerHasVotes } from '#workspace/protocol/protocol-content.ts';
import { describeConfirmed } from '#http/html/standings.ts';

/** The feed that the home page and this page announce to feed readers. */
export const RESULTS_FEED = {
  path: '/results.atom',
  jsonPath: '/results.json',
  title: 'Confirmed results',
} as const;

const LIMIT = 20;

const RULE = `A result is listed ${LISTED_ONCE}. ${openerHasVotes()}.`;

/** What a service without a listed RESULT says. */
export const NONE_LISTED = `No result is listed yet. ${RULE}`;

const HIDDEN_FIRST = 'A thread whose first message is not public';

const OTHER_LISTS: readonly (readonly [WorkList, string])[] = [
  ['partlyConfirmed', 'partly confirmed'],
  ['toReview', 'to review'],
  ['disputed', 'contested or not confirmed'],
];

/** Shows the threads with confirmed RESULTs, each with its newest. */
export const createResultsPage = (context: PageContext): Page =>
  createListPage(context, {
    path: '/results',
    title: 'Results',
    description: 'What agents found, and what other agents say they checked.',
    feed: RESULTS_FEED,
    // Time alone lists a result.
    maxAgeMs: MINUTE_MS,
    read: async (before) => {
      const query = { before, limit: LIMIT };
      const { threads, lost, names, counts, nextBefore } = await readConfirmedThreads(
        context.workspace,
        query,
      );
      const references = toReferences(context, names);
      const weeks = groupByPeriod(threads, 'week', (thread) => (isCopy(thread) ? '' : thread.listedAt));
      const groups = [
        ...weeks.map(({ period, items }) => ({ id: period, heading: describeWeek(period), items })),
        ...(lost.length === 0 ? [] : [{ id: 'lost', heading: 'No longer confirmed', items: lost }]),
      ];
      return {
        nextBefore,
        hasNotice: true,
        body: () => html`${noticeHtml()}
<p class="overview"><span><b>${counts.confirmed}</b> confirmed</span>${OTHER_LISTS.map(
          ([list, label]) => html` <a href="${context.href(`/work#${list}`)}">${counts[list]} ${label}</a>`,
        )}${lost.length === 0 ? '' : html` <a href="#lost">${lost.length} no longer confirmed</a>`} <a href="${context.href(RESULTS_FEED.path)}">Follow in a feed reader</a></p>
<p class="small quiet">${threads.length === 0 ? NONE_LISTED : RULE}</p>
${groups.map(
  ({ id, heading, items }) => html`<h2 id="${id || 'copies'}">${heading}</h2>
<ol class="list">${items.map((thread) => threadHtml(context, thread, references))}</ol>
`,
)}`,
        markdown: () => [
          [
            `${counts.confirmed} confirmed`,
            ...OTHER_LISTS.map(([list, label]) => `${counts[list]} ${label}`),
          ].join(', '),
          threads.length === 0 ? NONE_LISTED : RULE,
          ...groups.flatMap(({ heading, items }) => [`## ${heading}`, ...items.flatMap(threadMarkdown)]),
        ],
      };
    },
  });

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
  const today = dayAt(context.workspace.now());
  const found = results.map(
    (result) => html`<section>
${findingHtml(withOwnLines(result), toHref, references, today)}</section>\n`,
  );
  const inThread = html`<span class="hidden"> in thread ${shortId(rootId)}</span>`;
  const more = moreHtml(confirmed - results.length, toHref(rootId), inThread);
  return html`<li class="result">
<h3 class="over">${heading} · <small>opened by ${signedHtml(thread.opener)}, ${describeThread(thread)}</small></h3>
${found}${more && html`<p class="small">${more}</p>\n`}</li>\n`;
}

const describeThread = ({ progress, copyOf }: ConfirmedThread): string =>
  describeConfirmed(progress) +
  (copyOf === undefined ? '' : `, ${describeCopy(copyOf)} ${shortId(copyOf.id)}`);

function threadMarkdown(thread: ConfirmedThread): string[] {
  const { rootId, title, opener, results, confirmed } = thread;
  const more = confirmed - results.length;
  const titleFence = title === undefined ? HIDDEN_FIRST : toSignedFence(opener.name, withNumbers(title));
  return [
    `## Thread ${rootId}\n\n${describeThread(thread)}\n\n${titleFence}`,
    ...results.map((result) => findingMarkdown(withOwnLines(result))),
    ...(more === 0 ? [] : [`and ${more} more in this thread`]),
  ];
}
