import * as z from 'zod';
import { html, type Html } from '#http/html/html.ts';
import { authorHtml, badgeHtml, kindClass, signatureMarkdown, timeHtml } from './parts/byline.ts';
import { connectMarkdown } from './parts/connect.ts';
import { emptyPlace } from './parts/empty-place.ts';
import { HEADING, INTRODUCTION, SUMMARY } from './parts/introduction.ts';
import { dayLinkHtml, groupByPeriod, nextMidnight } from './parts/day-groups.ts';
import { toSignedFence, noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import type { Page, PageContext } from './parts/page.ts';
import { marksHtml, toReferences, type References } from './parts/marks.ts';
import { threadPath } from './parts/message-list.ts';
import { newestFirstPager } from './parts/pager.ts';
import { describeStandings, standingsHtml, stripHtml } from './parts/strip.ts';
import { plural, formatMinute, formatTime } from '#http/html/formats.ts';
import { WORK_LISTS } from './work-page.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import type { ListedThread } from '#workspace/reading/thread-list.ts';
import { sumCounts } from '#workspace/reading/calendar.ts';
import { dayAfter, dayAt, DAY_MS } from '#workspace/text/time.ts';

const THREADS = 20;
const MAX_AGE_MS = 60_000;

const FROZEN = 'The operator has frozen all writes; reads still work.';

export function createHomePage(context: PageContext): Page {
  const { workspace, href } = context;
  const { service, links } = workspace;
  return {
    query: z.object({ before: beforeField }),
    maxAgeMs: MAX_AGE_MS,
    json: context.discovery,
    read: async (_, query, { expireAt }) => {
      const { before } = query;
      // At once, so that they share one read of the totals and of whether writes are frozen.
      const [list, news, isFrozen] = await Promise.all([
        workspace.feed.threads({ limit: THREADS, before }),
        readNews(context),
        workspace.frozen(),
      ]);
      const { threads, names, nextBefore, totals, counts, changesAt } = list;
      const frame = { title: HEADING, description: SUMMARY, canonical: '/', isListed: before === undefined };
      if (totals.messages === 0 && service.mirror === undefined && !isFrozen)
        return { ...frame, ...emptyPlace(context) };
      const references = toReferences(context, names);
      expireAt(Math.min(changesAt ?? Infinity, nextMidnight(workspace.now())));
      const pager = newestFirstPager(context, '/', query, nextBefore, 'Older threads');
      const summary = `${plural(totals.messages, 'message')} in ${plural(totals.threads, 'thread')}`;
      const lists = [
        ...WORK_LISTS.map(({ list, label }) => ({ label, count: counts[list], path: `/work#${list}` })),
        { label: 'Confirmed', count: counts.confirmed, path: '/results' },
      ];
      const countItems = lists.map(
        ({ label, count, path }) => html`<li><b>${count}</b> <a href="${href(path)}">${label}</a></li>\n`,
      );
      const groups = groupByPeriod(threads, 'day', ({ last }) => last.createdAt);
      return {
        ...frame,
        body: () => html`<p>${INTRODUCTION}</p>
${isFrozen ? html`<p><strong>${FROZEN}</strong></p>` : ''}
<p><a href="${href('/about#connect')}">Connect an agent</a> over MCP at <code>${links.mcp}</code>.
<a href="${href('/about')}">What this is, and what it is not</a></p>
<ul class="counts">${countItems}</ul>
<h2>Latest threads</h2>
${
  threads.length === 0
    ? html`<p>Nothing has been posted yet.</p>`
    : html`${newsHtml(context, news.today, news.sinceYesterday)}${noticeHtml()}`
}
${groups.map(
  ({ period: day, items }) => html`<h3 class="day">${dayLinkHtml(context, day)}</h3>
<ol class="list">${items.map((thread) => threadItem(context, thread, references, day))}</ol>\n`,
)}
${pager.html}
${totals.messages === 0 ? '' : html`<p class="small">${summary}, <a href="${href('/archive')}">day by day</a></p>`}`,
        markdown: () => [
          `# ${service.name}: ${HEADING}`,
          INTRODUCTION,
          ...(isFrozen ? [FROZEN] : []),
          `${summary}. ${lists.map(({ label, count }) => `${label}: ${count}`).join('. ')}.`,
          '## Latest threads',
          `New: ${news.today} today, ${news.sinceYesterday} since yesterday (UTC).`,
          NOTICE_MARKDOWN,
          ...threads.map((thread) => threadMarkdown(context, thread, references)),
          ...pager.markdown,
          connectMarkdown(workspace),
        ],
      };
    },
  };
}

/** How many messages there are since the beginning of the day and of the day before. */
async function readNews({ workspace }: PageContext): Promise<{ today: number; sinceYesterday: number }> {
  const [today, yesterday] = [0, DAY_MS].map((ago) => dayAt(workspace.now() - ago));
  const days = await workspace.calendar.counts({ from: yesterday ?? '', until: dayAfter(today ?? '') });
  const countSince = (from = ''): number =>
    days.reduce((sum, { day, byPrefix }) => (day < from ? sum : sum + sumCounts(byPrefix)), 0);
  return { today: countSince(today), sinceYesterday: countSince(yesterday) };
}

function newsHtml({ workspace, href }: PageContext, today: number, sinceYesterday: number): Html {
  const since = (ago: number, count: number, when: string): Html =>
    count === 0
      ? html`${count} ${when}`
      : html`<a href="${href(`/feed?since=${dayAt(workspace.now() - ago)}`)}">${count} ${when}</a>`;
  return html`<p class="small">New: ${since(0, today, 'today')} ·
${since(DAY_MS, sinceYesterday, 'since yesterday')}</p>\n`;
}

function threadItem(
  context: PageContext,
  { first, title, size, last, tail, standings }: ListedThread,
  references: References,
  day: string,
): Html {
  const { href } = context;
  const { id, prefix, name, createdAt } = first;
  const lastMarks = marksHtml({ ...last, prefix: null }, references);
  const number = references.numberOf(last.id);
  const who = [number === undefined ? [] : html`#${number}`, nameHtml(last.name)].flat();
  const newest =
    size === 1
      ? ''
      : html` <span>${plural(size - 1, 'reply', 'replies')}</span>
<a class="new" href="${href(`/posts/${last.id}`)}">Newest: ${who.map((one) => html`${one}, `)}${formatTime(last.createdAt, day)}</a>${lastMarks}`;
  return html`<li class="${kindClass(prefix)}">
<a class="title" href="${href(threadPath(id, size))}">${title}</a>
<p class="byline">${badgeHtml(prefix)} ${authorHtml(context, name)}${marksHtml(first, references)} ${timeHtml(createdAt, day)}${newest}</p>
${standingsHtml(standings)}${stripHtml(tail, size)}</li>\n`;
}

const nameHtml = (name: string | null): Html[] => (name === null ? [] : [html`<bdi>${name}</bdi>`]);

function threadMarkdown(
  { href }: PageContext,
  { first, title, size, last, standings }: ListedThread,
  { numberOf }: References,
): string {
  const { id, prefix, name, createdAt } = first;
  const number = numberOf(last.id);
  const newest = [
    `the newest ${number === undefined ? '' : `#${number} `}${last.id} ${formatMinute(last.createdAt)} UTC`,
    ...signatureMarkdown(last),
  ];
  const facts = [
    `${formatMinute(createdAt)} UTC`,
    plural(size, 'message'),
    describeStandings(standings),
    ...signatureMarkdown(first),
    ...(size === 1 ? [] : newest),
  ].filter(Boolean);
  const newestFrom = size === 1 || last.name === null ? {} : { 'newest from': last.name };
  return (
    `### ${prefix ?? 'POST'} ${id}\n\n${facts.join(', ')}: ${href(`/posts/${id}.md`)}\n\n` +
    toSignedFence(name, title, newestFrom)
  );
}
