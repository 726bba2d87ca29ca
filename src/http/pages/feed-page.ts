import * as z from 'zod';
import { formatDay, inQuotes, plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import type { FeedPage } from '#workspace/schemas/post.ts';
import { FeedQuery } from '#workspace/schemas/feed-query.ts';
import { dayAt, isDay, DAY_MS } from '#workspace/text/time.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { listFeed, queryWords } from '#workspace/reading/feed.ts';
import { sumCounts } from '#workspace/reading/calendar.ts';
import { findFirstHit } from '#workspace/text/search-hits.ts';
import { choiceField } from '#workspace/schemas/fields.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import { dayLinkHtml, groupByPeriod, nextMidnight } from './parts/day-groups.ts';
import { toSearch, type Page, type PageContext, type PageQuery } from './parts/page.ts';
import { toReferences, type References } from './parts/marks.ts';
import { messageListMarkdown, messageListHtml, type ListedMessage } from './parts/message-list.ts';
import { noticeHtml, NOTICE_MARKDOWN, toFence } from '#http/html/stranger-text.ts';
import { newestFirstPager } from './parts/pager.ts';

const LIMIT = 50;
const TEXT_LIMIT = { textBudget: 200_000 };

/** Days that the page offers as a beginning, before today. */
const WEEK = 7;

const HELP =
  'A search finds messages with all of its words, in their texts and names: fewer words find more. A word of ' +
  'four letters or more also finds longer words: “bank” finds “banks”.';

/** Letters of the shortest word that finds longer ones. */
const MIN_BEGINNING = 4;
/** A search with fewer hits is repeated with shorter words. */
const FEW = 5;

const sinceField = z.string().refine(isDay, { error: 'must be a day such as 2026-01-31' }).optional();
const standingField = choiceField(['confirmed'], 'only what is confirmed').optional();

type Counts = z.infer<typeof FeedPage>['totals']['byPrefix'];

interface FeedView {
  /** What is shown: of a search that found little, with shorter words. */
  readonly query: PageQuery;
  readonly counts: Counts;
  /** Messages in whose title all words of the search stand. */
  readonly titled: readonly ListedMessage[];
  readonly others: readonly ListedMessage[];
  readonly references: References;
  readonly nextBefore: string | null;
  /** Why these are shown, and how many of how many; empty without messages. */
  readonly summary: string;
}

/** The messages by time: all of them, or those with a prefix, with some words, or since a day. */
export function createFeedPage(context: PageContext): Page {
  const { workspace } = context;
  return {
    query: FeedQuery.pick({ q: true, name: true, prefix: true, before: true }).extend({
      since: sinceField,
      standing: standingField,
    }),
    maxAgeMs: DAY_MS,
    read: async (_, asked, { expireAt }) => {
      expireAt(nextMidnight(workspace.now()));
      const view = await readView(context, asked);
      const { query, titled, others } = view;
      const { q, name, prefix, since, standing, before } = query;
      const pager = newestFirstPager(context, '/feed', query, view.nextBefore);
      const filters = toSearch({ q, name, prefix, standing });
      const feedPath = filters && `/feed.atom${filters}`;
      const heading = name === undefined ? 'Feed' : OF_ONE_NAME;
      return {
        title: q === undefined ? heading : `Search: ${asked['q'] ?? ''}`,
        description: 'Every message of the workspace, newest first.',
        canonical: `/feed${toSearch({ prefix })}`,
        isListed: [q, name, before, since, standing].every((one) => one === undefined),
        ...(feedPath !== '' && { feed: { path: feedPath, title: describeFilters({ ...query, since: '' }) } }),
        body: () => feedHtml(context, view, feedPath, pager.html),
        markdown: () => [
          `# ${heading}`,
          ...(view.summary === '' ? [] : [NOTICE_MARKDOWN]),
          view.summary,
          isFiltered(query) ? toFence(describeFilters(query)) : '',
          messageListMarkdown([...titled, ...others]),
          pager.markdown,
        ],
      };
    },
  };
}

async function readView(context: PageContext, asked: PageQuery): Promise<FeedView> {
  const { q, since = '' } = asked;
  const exact = await readMatching(context, asked);
  const shorter = { ...asked, ...(q !== undefined && { q: shorten(q) }) };
  const mayWiden = asked['before'] === undefined && exact.next === null && exact.recent.length < FEW;
  const wider = mayWiden && shorter.q !== q ? await readMatching(context, shorter) : exact;
  const isWider = wider.recent.length > exact.recent.length;
  const { page, recent, next } = isWider ? wider : exact;
  const query = isWider ? shorter : asked;
  const words = q === undefined ? [] : queryWords(query.q ?? '');
  const inTitle = ({ title, threadTitle = '' }: ListedMessage): boolean =>
    words.length > 0 && words.every((word) => findFirstHit(`${title} ${threadTitle}`, word) !== undefined);
  const messages = recent.map((message) => ({ ...message, text: message.message }));
  const counts = page.totals.byPrefix;
  const total = await countMatching(context, query, counts);
  return {
    query,
    counts,
    titled: messages.filter(inTitle),
    others: messages.filter((message) => !inTitle(message)),
    references: toReferences(context, page.names),
    nextBefore: next !== null && next < since ? null : next,
    summary:
      messages.length === 0 ? '' : describeCount(query, messages.length, next === null, total, isWider),
  };
}

/** Reads one page of what matches. @returns it, its messages since a day, and the cursor of the next one */
async function readMatching({ workspace }: PageContext, query: PageQuery) {
  const { q, name, prefix, standing, since = '', before } = query;
  const kind = standing === undefined ? prefix : 'RESULT';
  const page = await listFeed(
    workspace,
    { limit: LIMIT, before, q, name, prefix: kind as FeedQuery['prefix'], threads: false, view: 'full' },
    TEXT_LIMIT,
  );
  // Newest first, so that everything behind the first older message is older too.
  const isOver = page.messages.some(({ createdAt }) => createdAt < since);
  const recent = page.messages.filter(
    (one) => one.createdAt >= since && (standing === undefined || one.standing === standing),
  );
  return { page, recent, next: isOver ? null : page.nextBefore };
}

/** The words of a search by two thirds of their letters, four at least: `libraries` as `librar`. */
function shorten(q: string): string {
  const words = q.split(/\s+/).map((word) => {
    const letters = Array.from(word);
    const length = Math.max(MIN_BEGINNING, Math.floor((letters.length * 2) / 3));
    return /^\p{L}+$/u.test(word) ? letters.slice(0, length).join('') : word;
  });
  return words.join(' ');
}

/** @returns how many messages match; undefined of a search, which counts only what it has read */
async function countMatching(
  { workspace }: PageContext,
  { q, name, standing, prefix, since }: PageQuery,
  counts: Counts,
): Promise<number | undefined> {
  if ([q, name, standing].some((one) => one !== undefined)) return undefined;
  const days =
    since === undefined
      ? [{ byPrefix: counts as Readonly<Record<string, number>> }]
      : await workspace.calendar.counts({ from: since, until: undefined });
  const counted = ({ byPrefix }: (typeof days)[number]): number =>
    prefix === undefined ? sumCounts(byPrefix) : (byPrefix[prefix] ?? 0);
  return days.reduce((sum, day) => sum + counted(day), 0);
}

/** `The newest 50 of 172 messages`. @param total undefined if it is not known */
function describeCount(
  { before }: PageQuery,
  shown: number,
  isLast: boolean,
  total: number | undefined,
  isWider: boolean,
): string {
  if (isWider)
    return `Few messages have these words. ${plural(shown, 'message')} with words that begin alike`;
  const all = plural(total ?? shown, 'message');
  if (before === undefined && isLast) return all;
  const some = total === undefined ? all : `${shown} of ${all}`;
  return before === undefined ? `The newest ${some}` : `Older ones: ${some}`;
}

function describeFilters({ q, name, prefix, standing, since }: PageQuery): string {
  return [
    q && `“${inQuotes(q)}”`,
    name && `signed “${inQuotes(name)}”`,
    prefix === 'none' ? 'without a prefix' : prefix,
    standing && 'confirmed only',
    since && `since ${formatDay(since)} (UTC)`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** A name proves nothing. */
const OF_ONE_NAME = 'Feed of one name, which anyone can use';

const isFiltered = (query: PageQuery): boolean => Object.keys(query).some((name) => name !== 'before');

function feedHtml(context: PageContext, view: FeedView, feedPath: string, pager: Html): Html {
  const { href } = context;
  const { query, titled, others, references, nextBefore, counts, summary } = view;
  const isEmpty = titled.length + others.length === 0;
  const older = nextBefore === null ? '' : ' Older messages may match.';
  const nothing = isFiltered(query) ? `No message here matches.${older}` : 'Nothing has been posted yet.';
  const filters = isFiltered(query) && !isEmpty ? `: ${describeFilters(query)}` : '';
  const follow = feedPath && html` <a href="${href(feedPath)}">Follow this search</a> in a feed reader.`;
  const list = (items: readonly ListedMessage[], day?: string): Html =>
    messageListHtml(context, items, { references, ...(day !== undefined && { day }), query: query['q'] });
  const groups = groupByPeriod(others, 'day', ({ createdAt }) => createdAt);
  return html`${isEmpty ? '' : noticeHtml()}
${searchForm(context, query, counts)}
<p class="small quiet">${isEmpty ? nothing : `${summary}${filters}.`}${confirmedLink(context, query, isEmpty)}${follow}
${isFiltered(query) && !isEmpty ? '' : HELP} ${sinceLinks(context)}</p>
${titled.length === 0 ? '' : html`<h2 class="day">In titles</h2>\n${list(titled)}`}
${groups.map(
  ({ period: day, items }) => html`<h2 class="day">${dayLinkHtml(context, day)}</h2>
${list(items, day)}\n`,
)}
${pager}`;
}

/** Of a search that found something, leads to what is confirmed of it, and back. */
function confirmedLink(
  { href }: PageContext,
  { q, standing, ...query }: PageQuery,
  isEmpty: boolean,
): Html | undefined {
  if (q === undefined || (isEmpty && standing === undefined)) return undefined;
  const [other, words] =
    standing === undefined ? ['confirmed', 'Confirmed only'] : [undefined, 'All messages'];
  const { before: _, ...filters } = query;
  return html` <a href="${href(`/feed${toSearch({ ...filters, q, standing: other })}`)}">${words}</a>.`;
}

/** Links to what is new since some day, which a reader can keep as a bookmark. */
function sinceLinks({ workspace, href }: PageContext): Html {
  const since = (days: number): string =>
    href(`/feed${toSearch({ since: dayAt(workspace.now() - days * DAY_MS) })}`);
  return html`New since: <a href="${since(0)}">today</a>, <a href="${since(1)}">yesterday</a>,
<a href="${since(WEEK)}">a week ago</a>.`;
}

function searchForm(
  { href }: Pick<PageContext, 'href'>,
  { q = '', name, prefix = '', since, standing }: PageQuery,
  counts: Counts,
): Html {
  const options = [...PREFIXES, 'none' as const].map((name) => {
    const label = name === 'none' ? 'without a prefix' : name;
    return html`<option value="${name}"${selectedIf(name === prefix)}>${label} (${counts[name]})</option>`;
  });
  const hidden = Object.entries({ since, name, standing }).map(([field, value]) =>
    value === undefined ? html`` : html`<input type="hidden" name="${field}" value="${value}">`,
  );
  return html`<form class="search" aria-label="Filter" action="${href('/feed')}">
<label>Words <input type="search" name="q" maxlength="${MAX_LENGTHS.query}" value="${q}"></label>
<label>Kind <select name="prefix"><option value="">all</option>${options}</select></label>${hidden}
<button>Search</button>
</form>`;
}

const selectedIf = (isSelected: boolean): Html => (isSelected ? html` selected` : html``);
