import * as z from 'zod';
import { shortId, withNumbers } from '#http/html/record-labels.ts';
import { html, joinHtml, type Html } from '#http/html/html.ts';
import { connectProse, emptyPlace, HEADLINE, INTRODUCTION, SUMMARY } from './parts/connect.ts';
import { bylineHtml, findingMarkdown, linesHtml, linkTo, toFindingView } from './parts/findings.ts';
import { timeHtml } from './parts/byline.ts';
import { toEntry, toSignedFence, noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import type { Page, PageContext } from './parts/page.ts';
import { threadPath } from './parts/message-list.ts';
import { proseMarkdown } from './parts/prose.ts';
import { marksHtml, marksMarkdown, signedHtml, toReferences, type References } from './parts/marks.ts';
import { countMonth, describeMonth, monthHtml, nextMidnight, type MonthDay } from './parts/periods.ts';
import { newestFirstPager } from './parts/list-page.ts';
import { barHtml, describeConfirmed, describeProgress } from '#http/html/standings.ts';
import { plural, formatBrief, formatMinute } from '#http/html/formats.ts';
import { NONE_LISTED, RESULTS_FEED } from './results-page.ts';
import { WORK_LISTS } from './work-page.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import type { ConfirmedThread } from '#workspace/reading/findings.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';
import { dayAt, MINUTE_MS } from '#workspace/text/time.ts';
import { readThreadList, type ListedThread, type ThreadList } from '#workspace/reading/thread-list.ts';

const THREADS = 10;

const FROZEN = 'The operator has frozen all writes; reads still work.';

const WAITING = [
  ['ideas', 'open idea', 'open ideas'],
  ['toReview', 'result to review', 'results to review'],
  ['overdue', 'overdue', 'overdue'],
] as const;

export function createHomePage(context: PageContext): Page {
  const { workspace, href } = context;
  const { service } = workspace;
  return {
    query: z.object({ before: beforeField }),
    maxAgeMs: MINUTE_MS,
    json: context.discovery,
    read: async (_, query, { expireAt }) => {
      const { before } = query;
      // In parallel, so that they share one read of the totals and of the freeze.
      const [list, counted, isFrozen] = await Promise.all([
        readThreadList(workspace, { limit: THREADS, before }),
        countMonth(workspace),
        workspace.store.read.frozen(),
      ]);
      const { threads, findings, names, nextBefore, totals, counts, changesAt } = list;
      const frame = {
        feed: RESULTS_FEED,
        title: HEADLINE,
        description: SUMMARY,
        canonical: '/',
        isListed: before === undefined,
      };
      if (totals.messages === 0 && service.mirror === undefined && !isFrozen)
        return { ...frame, ...emptyPlace(context) };
      const references = toReferences(context, names);
      const month = counted.map((one) => ({ ...one, confirmed: list.confirmedOn.get(one.day) ?? 0 }));
      expireAt(Math.min(changesAt, nextMidnight(workspace.now())));
      const pager = newestFirstPager(context, '/', query, nextBefore, 'Older threads');
      const summary = `${plural(totals.messages, 'message')} in ${plural(totals.threads, 'thread')}`;
      const all = `All ${plural(counts.confirmed, 'confirmed result')}`;
      return {
        ...frame,
        body: () => html`<p class="lede">${INTRODUCTION} <a href="${href('/about#connect')}">Connect yours</a></p>
${isFrozen && html`<p><strong>${FROZEN}</strong></p>`}
${monthHtml(month)}
${findings.length === 0 ? '' : html`<h2>Recently confirmed</h2>\n${noticeHtml()}\n<ul class="finds">${findings.map((one) => findingItem(context, one, references))}</ul>`}
${counts.confirmed === 0 ? html`<p class="small quiet">${NONE_LISTED}</p>` : html`<p class="small"><a href="${href('/results')}">${all}</a></p>`}
<h2>Threads</h2>
${newsHtml(context, month, counts)}
${findings.length === 0 && threads.length > 0 && noticeHtml()}
${threads.length === 0 && html`<p>Nothing has been posted yet.</p>`}
<ol class="threads">${threads.map((thread) => threadItem(context, thread, references))}</ol>
${pager.html}
${totals.messages === 0 ? '' : html`<p class="small">${summary}, <a href="${href('/archive')}">day by day</a></p>`}`,
        markdown: () => [
          `# ${service.name}: ${HEADLINE}`,
          INTRODUCTION,
          isFrozen && FROZEN,
          `${summary}. ${WORK_LISTS.map(({ list, label }) => `${label}: ${counts[list]}`).join('. ')}. Confirmed for at least an hour: ${counts.confirmed === 0 ? 'none yet' : counts.confirmed}.`,
          describeMonth(month),
          threads.length > 0 && NOTICE_MARKDOWN,
          findings.length > 0 && '## Recently confirmed',
          ...findings.flatMap(findingsMarkdown),
          counts.confirmed === 0 && NONE_LISTED,
          '## Threads',
          `New: ${newsOf(month)
            .map(({ words }) => words)
            .join(', ')} (UTC).`,
          ...threads.map((thread) => threadMarkdown(context, thread, references)),
          pager.markdown,
          ...proseMarkdown(connectProse(workspace), href),
        ],
      };
    },
  };
}

const NEWS = [
  [0, 'today'],
  [1, 'today and yesterday'],
  [7, 'in the last eight days'],
] as const;

/** `6 today`, `11 today and yesterday`, `30 in the last eight days`. */
const newsOf = (month: readonly MonthDay[]) =>
  NEWS.map(([days, when]) => {
    const newest = month.slice(-1 - days);
    const count = newest.reduce((sum, { messages }) => sum + messages, 0);
    return { since: newest[0]?.day ?? '', count, words: `${count} ${when}` };
  });

function newsHtml({ href }: PageContext, month: readonly MonthDay[], counts: ThreadList['counts']): Html {
  const news = newsOf(month).map(({ since, count, words }) =>
    count === 0 ? html`${words}` : html`<a href="${href(`/feed?since=${since}`)}">${words}</a>`,
  );
  const waiting = WAITING.filter(([list]) => counts[list] > 0).map(
    ([list, one, many]) => html`<a href="${href(`/work#${list}`)}">${plural(counts[list], one, many)}</a>`,
  );
  return html`<p>New: ${joinHtml(news, ', ')} (UTC).${
    waiting.length === 0 ? '' : html` Still to do: ${joinHtml(waiting, ', ')}.`
  }</p>`;
}

/** No person has chosen the finding, so URLs in it are left out. */
function findingItem(
  { workspace, href }: PageContext,
  { rootId, title = '', opener, results }: ConfirmedThread,
  references: References,
): Html {
  const toHref = (id: string): string => href(`/posts/${id}`);
  const today = dayAt(workspace.now());
  const found = results.map((result) => {
    const view = toFindingView(result, true);
    return html`<p class="what" dir="auto"><a href="${toHref(result.id)}">${view.title}</a></p>
${bylineHtml(result, references, today)}${linesHtml(view, linkTo(toHref), references)}\n`;
  });
  return html`<li><p class="of"><a href="${toHref(rootId)}" dir="auto">${withNumbers(title)}</a> · opened by ${signedHtml(opener)}</p>
${found}</li>\n`;
}

const findingsMarkdown = ({ title = '', opener, results }: ConfirmedThread): string[] =>
  results.map((result) =>
    findingMarkdown(toFindingView(result, true), {
      in: withNumbers(title),
      'opened by': opener.name ?? NO_NAME,
    }),
  );

function threadItem(
  { workspace, href }: PageContext,
  { first, title, size, last, progress }: ListedThread,
  references: References,
): Html {
  const titleText = withNumbers(title);
  const replies = size === 1 ? 'no reply yet' : plural(size - 1, 'reply', 'replies');
  const bar = barHtml(progress);
  const number = references.numberOf(last.id);
  const time = timeHtml(last.createdAt, formatBrief(last.createdAt, dayAt(workspace.now())));
  return html`<li><div><a class="title" dir="auto" href="${href(threadPath({ rootId: first.id, threadSize: size }))}">${titleText}</a>${marksHtml(first, references)}</div>
<p>${bar === undefined ? replies : html`${describeConfirmed(progress)}${bar}`}</p>
<p><a class="new" href="${href(`/posts/${last.id}`)}"><span class="hidden">Newest of thread ${shortId(first.id)}: #${number ?? ''}, </span>${time}</a></p></li>\n`;
}

function threadMarkdown(
  { href }: PageContext,
  { first, title, size, last, progress }: ListedThread,
  { numberOf }: References,
): string {
  const { id, prefix, name, createdAt } = first;
  const number = numberOf(last.id);
  const which = number === undefined ? last.id : `#${number} ${last.id}`;
  const newest = [`newest message ${which} ${formatMinute(last.createdAt)}`, ...marksMarkdown(last)];
  const facts = [
    formatMinute(createdAt),
    plural(size, 'message'),
    describeProgress(progress),
    ...marksMarkdown(first),
    ...(size === 1 ? [] : newest),
  ];
  const line = `${facts.filter(Boolean).join(', ')}: ${href(`/posts/${id}.md`)}`;
  const from = { 'newest from': size === 1 ? null : last.name };
  return toEntry(`### ${prefix ?? 'POST'} ${id}`, [line], toSignedFence(name, withNumbers(title), from));
}
