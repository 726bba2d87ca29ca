import * as z from 'zod';
import { formatDay, inQuotes, plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { withNumbers } from '#http/html/numbers.ts';
import type { FeedPage } from '#workspace/schemas/post.ts';
import { FeedQuery } from '#workspace/schemas/feed-query.ts';
import { dayAt, isDay, DAY_MS } from '#workspace/text/time.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { listFeed, queryWords } from '#workspace/reading/feed.ts';
import { listFindings } from '#workspace/reading/syndication.ts';
import type { ListedPost } from '#workspace/reading/views.ts';
import { PREFIXES, type Prefix } from '#workspace/text/prefix.ts';
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
  'A search finds messages with all of its words, in their texts and names. A word of four letters or ' +
  'more also finds longer words: “bank” finds “banks”.';

/** Words of a search without a hit that are searched alone, and the messages that each of them counts. */
const MAX_ALONE = 4;
const MAX_COUNTED = 20;
/** What a search that found nothing leads to. */
const MAX_FINDINGS = 4;

const sinceField = z.string().refine(isDay, { error: 'must be a day such as 2026-01-31' }).optional();

type Counts = z.infer<typeof FeedPage>['totals']['byPrefix'];

interface FeedView {
  readonly query: PageQuery;
  readonly counts: Counts;
  readonly messages: readonly ListedMessage[];
  readonly references: References;
  readonly nextBefore: string | null;
  /** Of a search that found nothing: the words that find something alone. */
  readonly alone: readonly { readonly word: string; readonly count: string }[];
  /** Of such a search: what was confirmed last. */
  readonly findings: readonly Pick<ListedPost, 'id' | 'title'>[];
}

/** The messages by time: all of them, or those with a prefix, with some words, or since a day. */
export function createFeedPage(context: PageContext): Page {
  const { workspace } = context;
  return {
    query: FeedQuery.pick({ q: true, name: true, prefix: true, before: true }).extend({ since: sinceField }),
    maxAgeMs: DAY_MS,
    read: async (_, query, { expireAt }) => {
      expireAt(nextMidnight(workspace.now()));
      const view = await readView(context, query);
      const { q, name, prefix, since, before } = query;
      const { messages } = view;
      const pager = newestFirstPager(context, '/feed', query, view.nextBefore);
      const filters = toSearch({ q, name, prefix });
      const feedPath = filters && `/feed.atom${filters}`;
      const heading = name === undefined ? 'Feed' : OF_ONE_NAME;
      return {
        title: q === undefined ? heading : `Search: ${q}`,
        description: 'Every message of the workspace, newest first.',
        canonical: `/feed${toSearch({ prefix })}`,
        isListed: [q, name, before, since].every((one) => one === undefined),
        ...(feedPath !== '' && { feed: { path: feedPath, title: describeFilters({ q, name, prefix }) } }),
        body: () => feedHtml(context, view, feedPath, pager.html),
        markdown: () => [
          `# ${heading}`,
          NOTICE_MARKDOWN,
          isFiltered(query)
            ? `${describeCount(view)}:\n\n${toFence(describeFilters(query))}`
            : plural(countAll(view.counts), 'message'),
          messageListMarkdown(messages),
          ...view.alone.map(({ word, count }) => `On its own, this word finds ${count}:\n\n${toFence(word)}`),
          ...view.findings.map(
            ({ id, title }) => `Recently confirmed, ${id}:\n\n${toFence(withNumbers(title))}`,
          ),
          pager.markdown,
        ],
      };
    },
  };
}

async function readView(context: PageContext, query: PageQuery): Promise<FeedView> {
  const { q, name, prefix, since = '', before } = query;
  const page = await listFeed(
    context.workspace,
    {
      limit: LIMIT,
      before,
      q,
      name,
      prefix: prefix as Prefix | 'none' | undefined,
      threads: false,
      view: 'full',
    },
    TEXT_LIMIT,
  );
  // Newest first, so that everything behind the first older message is older too.
  const recent = page.messages.filter(({ createdAt }) => createdAt >= since);
  const next = recent.length < page.messages.length ? null : page.nextBefore;
  const isInVain = recent.length === 0 && next === null && q !== undefined;
  return {
    query,
    counts: page.totals.byPrefix,
    messages: recent.map((message) => ({ ...message, text: message.message })),
    references: toReferences(context, page.names),
    nextBefore: next !== null && next < since ? null : next,
    alone: isInVain ? await searchAlone(context, query) : [],
    findings: isInVain ? await listFindings(context.workspace, MAX_FINDINGS) : [],
  };
}

async function searchAlone({ workspace }: PageContext, { q = '' }: PageQuery): Promise<FeedView['alone']> {
  const words = [...new Set(q.split(/\s+/))].filter((word) => queryWords(word).length > 0);
  if (words.length < 2) return [];
  const found = await Promise.all(
    words.slice(0, MAX_ALONE).map(async (word) => {
      const query = { limit: MAX_COUNTED, q: word, threads: false, view: 'preview' } as const;
      const { messages, nextBefore } = await listFeed(workspace, query, TEXT_LIMIT);
      const count = `${plural(messages.length, 'message')}${nextBefore === null ? '' : ' and more'}`;
      return messages.length === 0 ? [] : [{ word, count }];
    }),
  );
  return found.flat();
}

function describeFilters({ q, name, prefix, since }: Partial<PageQuery>): string {
  return [
    q && `“${inQuotes(q)}”`,
    name && `signed “${inQuotes(name)}”`,
    prefix === 'none' ? 'without a prefix' : prefix,
    since && `since ${formatDay(since)} (UTC)`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** A name proves nothing. */
const OF_ONE_NAME = 'Feed of one name, which anyone can use';

const countAll = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

const isFiltered = (query: PageQuery): boolean => Object.keys(query).some((name) => name !== 'before');

/** How many messages a filtered page shows. A search does not count what it has not read. */
function describeCount({ query, messages, nextBefore }: FeedView): string {
  const isFirst = query['before'] === undefined;
  const which = isFirst && nextBefore !== null ? 'The newest ' : isFirst ? '' : 'On this page ';
  return `${which}${plural(messages.length, 'message')}`;
}

function feedHtml(context: PageContext, view: FeedView, feedPath: string, pager: Html): Html {
  const { href } = context;
  const { query, messages, references, nextBefore, counts, alone, findings } = view;
  const nothing = isFiltered(query) ? `No message here matches. ${HELP}` : 'Nothing has been posted yet.';
  const olderMay = nextBefore === null ? '' : ' Older messages may match.';
  const follow = feedPath && html` <a href="${href(feedPath)}">Follow this search</a> in a feed reader.`;
  const groups = groupByPeriod(messages, 'day', ({ createdAt }) => createdAt);
  return html`${noticeHtml()}
${searchForm(context, query, counts)}
<p class="small quiet">${isFiltered(query) && messages.length > 0 ? `${describeCount(view)}: ${describeFilters(query)}.` : ''}${follow}
${isFiltered(query) ? '' : HELP} ${sinceLinks(context)}</p>
${messages.length > 0 ? '' : html`<p>${nothing}${olderMay}</p>`}
${alone.map(({ word, count }) => html`<p>On its own, <a href="${href(`/feed${toSearch({ q: word })}`)}">${word}</a> finds ${count}.</p>\n`)}
${findings.map(({ id, title }) => html`<p>Recently confirmed: <a href="${href(`/posts/${id}`)}" dir="auto">${withNumbers(title)}</a></p>\n`)}
${groups.map(
  ({ period: day, items }) => html`<h2 class="day">${dayLinkHtml(context, day)}</h2>
${messageListHtml(context, items, { references, day, query: query['q'] })}\n`,
)}
${pager}`;
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
  { q = '', name, prefix = '', since }: PageQuery,
  counts: Counts,
): Html {
  const options = [...PREFIXES, 'none' as const].map((name) => {
    const label = name === 'none' ? 'without a prefix' : name;
    return html`<option value="${name}"${selectedIf(name === prefix)}>${label} (${counts[name]})</option>`;
  });
  const hidden = Object.entries({ since, name }).map(([field, value]) =>
    value === undefined ? html`` : html`<input type="hidden" name="${field}" value="${value}">`,
  );
  return html`<form class="search" aria-label="Filter" action="${href('/feed')}">
<label>Words <input type="search" name="q" maxlength="${MAX_LENGTHS.query}" value="${q}"></label>
<label>Kind <select name="prefix"><option value="">all</option>${options}</select></label>${hidden}
<button>Search</button>
</form>`;
}

const selectedIf = (isSelected: boolean): Html => (isSelected ? html` selected` : html``);
