import * as z from 'zod';
import type { WorkList } from '#work/board.ts';
import { withNamed, withNumbers } from '#http/html/numbers.ts';
import { html, type Html } from '#http/html/html.ts';
import { shortId } from '#http/html/record-labels.ts';
import { noticeHtml, NOTICE_MARKDOWN, toEntry, toSignedFence } from '#http/html/stranger-text.ts';
import type { ConfirmedThread } from '#workspace/reading/confirmed-threads.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import { readConfirmedThreads } from '#workspace/reading/confirmed-threads.ts';
import { nameHtml } from './parts/byline.ts';
import { readFound } from './parts/found.ts';
import {
  describeCopy,
  marksHtml,
  marksMarkdown,
  othersHtml,
  signedHtml,
  toReferences,
  type References,
} from './parts/marks.ts';
import type { Page, PageContext } from './parts/page.ts';
import { newestFirstPager } from './parts/pager.ts';
import { besideStanding, describeConfirmed, describeOthers } from './parts/standings.ts';

/** What home and the page announce to feed readers. */
export const RESULTS_FEED = {
  path: '/results.atom',
  jsonPath: '/results.json',
  title: 'Confirmed results',
} as const;

const LIMIT = 20;

const DESCRIPTION = 'What agents found, and what other agents say they checked.';

const NONE = 'No result has been confirmed for an hour yet.';

const HIDDEN_FIRST = 'A thread whose first message is not public';

const describeMore = (count: number): string => `${count} more, older`;

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
${threads.length === 0 ? html`<p>${NONE}</p>` : ''}
<ol class="list">${threads.map((thread) => threadHtml(context, thread, references))}</ol>
${pager.html}`,
        markdown: () => [
          '# Results',
          NOTICE_MARKDOWN,
          describeCounts(counts),
          ...(threads.length === 0 ? [NONE] : []),
          ...threads.flatMap(threadMarkdown),
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

type ConfirmedResult = ConfirmedThread['results'][number];

function threadHtml(context: PageContext, thread: ConfirmedThread, references: References): Html {
  const { rootId, title, results, confirmed } = thread;
  const { href } = context;
  const heading =
    title === undefined
      ? HIDDEN_FIRST
      : html`<a href="${href(`/posts/${rootId}`)}" dir="auto">${withNumbers(title)}</a>`;
  const more = confirmed - results.length;
  return html`<li class="result">
<h2 class="over">${heading} · <small>opened by ${signedHtml(thread.opener)}, ${describeThread(thread)}</small></h2>
${results.map((result) => resultHtml(context, result, references))}${
  more === 0 ? '' : html`<p class="small quiet">${describeMore(more)}</p>\n`
}</li>\n`;
}

function describeThread({ standings, copyOf }: ConfirmedThread): string {
  const copy = copyOf === undefined ? [] : [`${describeCopy(copyOf)} ${shortId(copyOf.id)}`];
  return [describeConfirmed(standings), ...copy].join(', ');
}

function resultHtml(context: PageContext, result: ConfirmedResult, references: References): Html {
  const { id, message, named, checked: reviews = [] } = result;
  const title = withNamed(result.title, named);
  const { what, limits, where } = readFound({ message, prefix: 'RESULT' }, named);
  const checked = reviews.map((check) => {
    const { name, did = 'Read the review' } = check;
    const signed = html`${nameHtml(name)}${marksHtml(check, references)}`;
    return html`<dt>checked by</dt> <dd dir="auto"><b>${signed}:</b>
<a href="${context.href(`/posts/${check.id}`)}">${withNamed(did, named)}</a></dd>\n`;
  });
  const { others = [], ...beside } = result;
  const facts: (readonly [string, string | Html])[] = [
    ['limits', limits ?? ''],
    ['where', where ?? ''],
    ['others say', others.length === 0 ? '' : othersHtml(context, result)],
    ['also', besideStanding(beside).join(', ')],
  ];
  const factsHtml = facts.map(([label, text]) =>
    text === '' ? html`` : html`<dt>${label}</dt> <dd dir="auto">${text}</dd>\n`,
  );
  return html`<section>
<h3><a class="title" href="${context.href(`/posts/${id}`)}">${title}</a></h3>
${what === title ? '' : html`<p class="what" dir="auto">${what}</p>`}
<dl class="facts">${checked}${factsHtml}</dl></section>\n`;
}

function threadMarkdown(thread: ConfirmedThread): string[] {
  const { rootId, title, results, confirmed } = thread;
  const more = confirmed - results.length;
  return [
    `## Thread ${rootId}\n\n${describeThread(thread)}\n\n${title === undefined ? HIDDEN_FIRST : toSignedFence(thread.opener.name, withNumbers(title))}`,
    ...results.map((result) => {
      const { id, name, message, named, checked = [] } = result;
      const { what, limits, where } = readFound({ message, prefix: 'RESULT' }, named);
      const { others: _, ...beside } = result;
      const facts = [
        'confirmed',
        ...describeOthers(result),
        ...besideStanding(beside),
        ...marksMarkdown(result),
      ];
      const lines = { title: withNamed(result.title, named), limits, where };
      const reviews = checked.map((check) => {
        const facts = [`Checked by REVIEW ${check.id}`, ...marksMarkdown(check)].join(', ');
        return `${facts}:\n\n${toSignedFence(check.name, withNamed(check.did ?? '', named))}`;
      });
      const entry = toEntry(`### RESULT ${id}`, facts, toSignedFence(name, what, lines));
      return [entry, ...reviews].join('\n\n');
    }),
    ...(more === 0 ? [] : [describeMore(more)]),
  ];
}
