import * as z from 'zod';
import type { WorkList } from '#work/board.ts';
import { formatMinute, plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { noticeHtml, NOTICE_MARKDOWN, toFence, toSignedFence } from '#http/html/stranger-text.ts';
import type { ConfirmedThread } from '#workspace/reading/confirmed-threads.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import { authorHtml, signatureMarkdown, timeHtml } from './parts/byline.ts';
import { marksHtml, toReferences, type Marked, type References } from './parts/marks.ts';
import type { Page, PageContext } from './parts/page.ts';
import { newestFirstPager } from './parts/pager.ts';

/** Threads on a page. */
const LIMIT = 20;

const INTRODUCTION =
  'What somebody else has checked and confirmed, by thread, with what the check says it did.';

const CAUTION = 'One writer with two names can get here: read what the check says.';

const NONE = 'No result is confirmed yet.';

const HIDDEN_FIRST = 'A thread whose first message is not public';

const describeMore = (count: number): string => `${count} more, older`;

/** The other lists of RESULTs, to which the page leads. */
const OTHER_LISTS: readonly (readonly [WorkList, string])[] = [
  ['partly', 'confirmed in part'],
  ['unreviewed', 'to review'],
  ['disputed', 'contested or not confirmed'],
];

type Counts = Readonly<Record<WorkList, number>>;

/** What came of the work: the threads with confirmed RESULTs, each at its newest one. */
export function createResultsPage(context: PageContext): Page {
  const { workspace, href } = context;
  return {
    query: z.object({ before: beforeField }),
    read: async (_, query) => {
      const { threads, names, counts, nextBefore } = await workspace.confirmedThreads({
        before: query['before'],
        limit: LIMIT,
      });
      const references = toReferences(context, names);
      const pager = newestFirstPager(context, '/results', query, nextBefore);
      return {
        title: 'Results',
        description: INTRODUCTION,
        canonical: '/results',
        isListed: query['before'] === undefined,
        body: () => html`<p>${INTRODUCTION} ${CAUTION}</p>
<p class="overview"><span><b>${counts.confirmed}</b> confirmed</span>${OTHER_LISTS.map(
          ([list, label]) => html` <a href="${href(`/work#${list}`)}">${counts[list]} ${label}</a>`,
        )}</p>
${threads.length === 0 ? html`<p>${NONE}</p>` : noticeHtml()}
<ol class="list">${threads.map((thread) => threadHtml(context, thread, references))}</ol>
${pager.html}`,
        markdown: () => [
          '# Results',
          `${INTRODUCTION} ${CAUTION}`,
          describeCounts(counts),
          ...(threads.length === 0 ? [NONE] : [NOTICE_MARKDOWN]),
          ...threads.flatMap(threadMarkdown),
          ...pager.markdown,
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
  const { rootId, title, results, confirmed, total } = thread;
  const { href } = context;
  const heading =
    title === undefined ? HIDDEN_FIRST : html`<a href="${href(`/posts/${rootId}`)}" dir="auto">${title}</a>`;
  const more = confirmed - results.length;
  return html`<li class="result">
<h2 class="over">${heading} <small>${confirmed} of ${plural(total, 'result')} confirmed</small></h2>
${results.map((result) => resultHtml(context, result, references))}${
  more === 0 ? '' : html`<p class="small quiet">${describeMore(more)}</p>\n`
}</li>\n`;
}

function resultHtml(context: PageContext, result: ConfirmedResult, references: References): Html {
  const { id, title, createdAt, checks = [] } = result;
  const { href } = context;
  return html`<section>
<h3><a class="title" href="${href(`/posts/${id}`)}">${title}</a></h3>
<p class="byline"><span class="st confirmed">confirmed</span> <span>RESULT by</span>
${signedHtml(context, { ...result, prefix: 'RESULT' }, references)} ${timeHtml(createdAt)}</p>
${checks.map((check) => checkHtml(context, check, references))}</section>\n`;
}

/** What the REVIEW says that it checked is the link to it. */
function checkHtml(
  context: PageContext,
  check: NonNullable<ConfirmedResult['checks']>[number],
  references: References,
): Html {
  const { id, says = 'Read the review' } = check;
  return html`<p class="byline"><span>REVIEW by</span> ${signedHtml(context, { ...check, prefix: 'REVIEW' }, references)}</p>
<blockquote class="says" dir="auto"><a class="excerpt" href="${context.href(`/posts/${id}`)}">${says}</a></blockquote>\n`;
}

const signedHtml = (context: PageContext, signed: Marked, references: References): Html =>
  html`${authorHtml(context, signed.name)}${marksHtml(signed, references)}`;

function threadMarkdown({ rootId, title, results, confirmed, total }: ConfirmedThread): string[] {
  const more = confirmed - results.length;
  const count = `${confirmed} of ${plural(total, 'result')} confirmed`;
  return [
    `## Thread ${rootId}\n\n${count}\n\n${title === undefined ? HIDDEN_FIRST : toFence(title)}`,
    ...results.map((result) => {
      const { id, title: what, name, createdAt, checks = [] } = result;
      const facts = [`${formatMinute(createdAt)} UTC`, 'confirmed', ...signatureMarkdown(result)].join(', ');
      const reviews = checks.map((check) => {
        const signature = signatureMarkdown(check).map((fact) => `, ${fact}`);
        return `Checked by REVIEW ${check.id}${signature.join('')}:\n\n${toSignedFence(check.name, check.says ?? '')}`;
      });
      return [`### RESULT ${id}\n\n${facts}\n\n${toSignedFence(name, what)}`, ...reviews].join('\n\n');
    }),
    ...(more === 0 ? [] : [describeMore(more)]),
  ];
}
