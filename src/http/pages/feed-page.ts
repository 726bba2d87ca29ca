import * as z from 'zod';
import { queryWordsOf } from '#message/words.ts';
import { formatDay, inQuotes, plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { FeedQuery } from '#workspace/schemas/feed-query.ts';
import { dayAt, isDay, DAY_MS } from '#workspace/text/time.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { listFeed } from '#workspace/reading/feed.ts';
import { sumCounts } from '#workspace/reading/calendar.ts';
import { findFirstHit } from '#workspace/text/search-hits.ts';
import { choiceField } from '#workspace/schemas/fields.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import { dayLinkHtml, groupByPeriod, monthBefore, nextMidnight } from './parts/periods.ts';
import { TEXT_LIMIT, toSearch, type Page, type PageContext, type PageQuery } from './parts/page.ts';
import { toReferences } from './parts/marks.ts';
import { messageListMarkdown, messageListHtml, type ListedMessage } from './parts/message-list.ts';
import { NOTICE_MARKDOWN, noticeHtml, toFence } from '#http/html/stranger-text.ts';
import { newestFirstPager } from './parts/list-page.ts';

const LIMIT = 50;

const HELP =
  'A search finds messages that contain all of its words, in the text or the name; fewer words find more. A word of ' +
  'four letters or more also finds longer words: “bank” finds “banks”.';

const COPIES = 'Nearly copies of older messages';

/** The minimum number of letters that a shortened word keeps. */
const MIN_BEGINNING = 4;
/** A search with fewer hits is repeated with shorter words. */
const FEW = 5;

type FeedView = Awaited<ReturnType<typeof readView>>;

/** Shows messages by time: all of them, or those with a prefix, with certain words, or since a day. */
export function createFeedPage(context: PageContext): Page {
  const { workspace } = context;
  return {
    query: FeedQuery.pick({ q: true, name: true, prefix: true, before: true }).extend({
      since: z.string().refine(isDay, { error: 'must be a day such as 2026-01-31' }).optional(),
      standing: choiceField(['confirmed'], 'only what is confirmed').optional(),
    }),
    maxAgeMs: DAY_MS,
    read: async (_, requested, { expireAt }) => {
      expireAt(nextMidnight(workspace.now()));
      const view = await readView(context, requested);
      const { query, titled, others } = view;
      const { q, name, prefix, since, standing, before } = query;
      const pager = newestFirstPager(context, '/feed', query, view.nextBefore);
      const filters = toSearch({ q, name, prefix, standing });
      const feedPath = filters && `/feed.atom${filters}`;
      const heading = name === undefined ? 'Feed' : 'Feed of one name; anyone can use a name';
      return {
        title: q === undefined ? heading : `Search: ${requested['q'] ?? ''}`,
        description: 'Every message of the workspace, newest first.',
        canonical: `/feed${toSearch({ prefix })}`,
        isListed: [q, name, before, since, standing].every((one) => one === undefined),
        ...(feedPath !== '' && { feed: { path: feedPath, title: describeFilters({ ...query, since: '' }) } }),
        body: () => html`${view.summary !== '' && noticeHtml()}
${searchForm(context, requested, view.counts)}
${feedHtml(context, view, feedPath)}
${pager.html}`,
        markdown: () => [
          `# ${heading}`,
          view.summary !== '' && NOTICE_MARKDOWN,
          view.wider && toFence(view.wider),
          view.summary,
          isFiltered(query) && toFence(describeFilters(query)),
          messageListMarkdown([...titled, ...others]),
          pager.markdown,
        ],
      };
    },
  };
}

/** @param requested the query of the reader; a search with few hits is widened */
async function readView(context: PageContext, requested: PageQuery) {
  const { q, since = '', before } = requested;
  const exact = await readMatching(context, requested);
  // Counted before `since` and `standing` leave messages out: shorter words would not bring these back.
  const isRare = before === undefined && exact.page.nextBefore === null && exact.page.messages.length < FEW;
  const shorter = q === undefined || !isRare ? q : shorten(q);
  const wider = shorter === q ? exact : await readMatching(context, { ...requested, q: shorter ?? '' });
  const isWider = wider.recent.length > exact.recent.length;
  const { page, recent, next } = isWider ? wider : exact;
  const query = isWider ? { ...requested, q: shorter ?? '' } : requested;
  const words = q === undefined ? [] : queryWordsOf(query['q'] ?? '').words;
  const inTitle = ({ title, threadTitle = '' }: ListedMessage): boolean =>
    words.length > 0 && words.every((word) => findFirstHit(`${title} ${threadTitle}`, word) !== undefined);
  const messages = recent.map((message) => ({ ...message, text: message.message }));
  const originals = messages.filter((message) => !isLate(message, q));
  const copies = messages.filter((message) => isLate(message, q));
  const count = await describeCount(context, query, page, messages.length, next === null);
  return {
    query,
    counts: page.totals.byPrefix,
    titled: originals.filter(inTitle),
    /** In a search, copies come last. */
    others: [...originals.filter((message) => !inTitle(message)), ...copies],
    references: toReferences(context, page.names),
    nextBefore: next !== null && next < since ? null : next,
    /** How the search was widened. */
    wider: isWider
      ? `Few messages have “${inQuotes(q ?? '')}”; these have words that begin with “${inQuotes(shorter ?? '')}”.`
      : '',
    /** Empty if there are no messages. */
    summary: messages.length === 0 ? '' : count,
  };
}

const isLate = ({ copyOf }: ListedMessage, q: string | undefined): boolean =>
  q !== undefined && copyOf !== undefined && copyOf.equal > 0;

/** Reads one page. @returns the page, its messages since a day, and the cursor of the next page */
async function readMatching({ workspace }: PageContext, query: PageQuery) {
  const { q, name, prefix, standing, since = '', before } = query;
  const kind = standing === undefined ? prefix : 'RESULT';
  const page = await listFeed(
    workspace,
    { limit: LIMIT, before, q, name, prefix: kind as FeedQuery['prefix'], threads: false, view: 'full' },
    TEXT_LIMIT,
  );
  // Newest first, so that every message after the first older one is older too.
  const isOver = page.messages.some(({ createdAt }) => createdAt < since);
  const recent = page.messages.filter(
    (one) =>
      one.createdAt >= since &&
      (standing === undefined || (one.standing === standing && (prefix ?? one.prefix) === one.prefix)),
  );
  return { page, recent, next: isOver ? null : page.nextBefore };
}

/** Shortens the words of a search to two thirds, but at least four letters: `libraries` to `librar`. */
const shorten = (q: string): string =>
  q.replaceAll(/(?<!\S)\p{L}+(?!\S)/gu, (word) => {
    const letters = Array.from(word);
    return letters.slice(0, Math.max(MIN_BEGINNING, Math.floor((letters.length * 2) / 3))).join('');
  });

/**
 * `The newest 50 of 172 messages`. A search counts only what it has read. Other messages are counted by days
 * within a month, as on home: any other range would cost a read of all posts.
 */
async function describeCount(
  { workspace }: PageContext,
  { q, name, standing, prefix, since, before }: PageQuery,
  { totals }: { readonly totals: { readonly byPrefix: Readonly<Record<string, number>> } },
  shown: number,
  isLast: boolean,
): Promise<string> {
  if (before === undefined && isLast) return plural(shown, 'message');
  const which = before === undefined ? 'The newest' : 'Older ones:';
  const month = monthBefore(workspace.now());
  const isUncounted = since !== undefined && since < month.from;
  if (isUncounted || [q, name, standing].some((one) => one !== undefined))
    return `${which} ${plural(shown, 'message')}`;
  const days =
    since === undefined
      ? [totals]
      : (await workspace.calendar.counts(month)).filter(({ day }) => day >= since);
  const all = days.reduce(
    (sum, { byPrefix }) => sum + (prefix === undefined ? sumCounts(byPrefix) : (byPrefix[prefix] ?? 0)),
    0,
  );
  return `${which} ${shown} of ${plural(all, 'message')}`;
}

function describeFilters({ q, name, prefix, standing, since }: PageQuery): string {
  return [
    q && `“${inQuotes(q)}”`,
    name && `with the name “${inQuotes(name)}”`,
    prefix === 'none' ? 'without a prefix' : prefix,
    standing && 'confirmed only',
    since && `since ${formatDay(since)} (UTC)`,
  ]
    .filter(Boolean)
    .join(', ');
}

const isFiltered = (query: PageQuery): boolean => Object.keys(query).some((name) => name !== 'before');

function feedHtml(context: PageContext, view: FeedView, feedPath: string): Html {
  const { href } = context;
  const { query, titled, others, references, nextBefore, wider, summary } = view;
  const isEmpty = titled.length + others.length === 0;
  const older = nextBefore === null ? '' : ' Older messages may match.';
  const nothing = isFiltered(query) ? `No message here matches.${older}` : 'Nothing has been posted yet.';
  const filters = isFiltered(query) && !isEmpty ? `: ${describeFilters(query)}` : '';
  const follow = feedPath && html` <a href="${href(feedPath)}">Follow this search</a> in a feed reader.`;
  const list = (items: readonly ListedMessage[], day = ''): Html =>
    messageListHtml(context, items, { references, ...(day !== '' && { day }), query: query['q'] });
  const groups = groupByPeriod(others, 'day', (one) => (isLate(one, query['q']) ? '' : one.createdAt));
  return html`<p class="small quiet">${wider} ${isEmpty ? nothing : `${summary}${filters}.`}${isEmpty && query['standing'] === undefined ? '' : confirmedLink(context, query)}${follow}
${isFiltered(query) && !isEmpty ? '' : HELP} ${sinceLinks(context, query)}</p>
${titled.length === 0 ? '' : html`<h2 class="day">In titles</h2>\n${list(titled)}`}
${groups.map(
  ({ period: day, items }) => html`<h2 class="day">${day === '' ? COPIES : dayLinkHtml(context, day)}</h2>
${list(items, day)}\n`,
)}`;
}

function confirmedLink({ href }: PageContext, { standing, before: _, ...query }: PageQuery): Html | string {
  if (query['q'] === undefined) return '';
  const [other, words] = standing === undefined ? ['confirmed', 'Confirmed only'] : [null, 'All messages'];
  return html` <a href="${href(`/feed${toSearch({ ...query, standing: other })}`)}">${words}</a>.`;
}

/** Links to the messages since a day, which readers can bookmark. */
function sinceLinks({ workspace, href }: PageContext, { before: _, ...query }: PageQuery): Html {
  const since = (days: number): string =>
    href(`/feed${toSearch({ ...query, since: dayAt(workspace.now() - days * DAY_MS) })}`);
  return html`New since: <a href="${since(0)}">today</a>, <a href="${since(1)}">yesterday</a>,
<a href="${since(7)}">a week ago</a>.`;
}

function searchForm(
  { href }: Pick<PageContext, 'href'>,
  { q = '', name, prefix = '', since, standing }: PageQuery,
  counts: FeedView['counts'],
): Html {
  const options = [...PREFIXES, 'none' as const].map((name) => {
    const label = name === 'none' ? 'without a prefix' : name;
    return html`<option value="${name}"${name === prefix && html` selected`}>${label} (${counts[name]})</option>`;
  });
  const hidden = Object.entries({ since, name, standing }).map(
    ([field, value]) => html`${value && html`<input type="hidden" name="${field}" value="${value}">`}`,
  );
  return html`<form class="search" aria-label="Filter" action="${href('/feed')}">
<label>Words <input type="search" name="q" maxlength="${MAX_LENGTHS.query}" value="${q}"></label>
<label>Kind <select name="prefix"><option value="">all</option>${options}</select></label>${hidden}
<button>Search</button>
</form>`;
}
