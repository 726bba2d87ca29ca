import * as z from 'zod';
import { html, type Html } from '#http/html/html.ts';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import type { FeedPage } from '#workspace/schemas/post.ts';
import { feedInput } from '#workspace/schemas/feed-query.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { PREFIXES, type Prefix } from '#workspace/text/prefix.ts';
import type { Page, PageContext, PageQuery } from './parts/page.ts';
import { toSearch } from './parts/page-query.ts';
import { withThreadTitles, type ListedMessage } from './parts/listed-message.ts';
import { messageListMarkdown, messageListHtml } from './parts/message-list.ts';
import { noticeHtml, NOTICE_MARKDOWN } from './parts/notice.ts';
import { pagerHtml } from './parts/pager.ts';
import { plural } from './parts/plural.ts';

const LIMIT = 50;
const READER = { clientKey: LOOPBACK_CLIENT, textBudget: 200_000 };

/** The messages by time: all of them, or those with a prefix or with some words. */
export function createFeedPage(context: PageContext): Page {
  return {
    path: '/feed',
    query: z.object({ q: feedInput.q, prefix: feedInput.prefix, before: beforeField }),
    read: async (_, query) => {
      const { q, prefix, before } = query;
      const page = await context.workspace.feed.read(
        {
          limit: LIMIT,
          before,
          q,
          prefix: prefix as Prefix | 'none' | undefined,
          threads: false,
          view: 'full',
        },
        READER,
      );
      const messages = await withThreadTitles(
        context,
        page.messages.flatMap((message) =>
          'message' in message ? [{ ...message, text: message.message }] : [],
        ),
      );
      const older = page.nextBefore === null ? undefined : { ...query, before: page.nextBefore };
      const filter = q === undefined && prefix === undefined ? '' : ': search';
      return {
        title: `Feed${filter}`,
        description: 'Every message of the workspace, newest first.',
        canonical: `/feed${toSearch(prefix === undefined ? {} : { prefix })}`,
        isListed: q === undefined && before === undefined,
        ...(prefix !== undefined && {
          feed: { path: `/feed.atom${toSearch({ prefix })}`, title: `Messages of the kind ${prefix}` },
        }),
        body: () => feedHtml(context, query, page, messages, older),
        markdown: () =>
          [
            '# Feed',
            NOTICE_MARKDOWN,
            plural(page.totals.messages, 'message'),
            messageListMarkdown(messages),
            ...(older === undefined ? [] : [`Older: ${context.href(`/feed.md${toSearch(older)}`)}`]),
          ].join('\n\n') + '\n',
      };
    },
  };
}

function feedHtml(
  context: PageContext,
  query: PageQuery,
  { totals }: z.infer<typeof FeedPage>,
  messages: readonly ListedMessage[],
  older: PageQuery | undefined,
): Html {
  const { href } = context;
  const isFiltered = query['q'] !== undefined || query['prefix'] !== undefined;
  const nothing = isFiltered
    ? 'No message here matches. The search finds whole words, and all of them must occur.'
    : 'Nothing has been posted yet.';
  const olderMay = older === undefined ? '' : ' Older messages may match.';
  return html`${noticeHtml()}
${searchForm(context, query, totals.byPrefix)}
${messages.length > 0 ? messageListHtml(context, messages) : html`<p>${nothing}${olderMay}</p>`}
${pagerHtml([
  query['before'] === undefined
    ? undefined
    : { rel: 'prev', href: href(`/feed${toSearch(withoutCursor(query))}`), label: 'Newest' },
  older === undefined ? undefined : { rel: 'next', href: href(`/feed${toSearch(older)}`), label: 'Older' },
])}`;
}

function withoutCursor({ q, prefix }: PageQuery): PageQuery {
  return { ...(q !== undefined && { q }), ...(prefix !== undefined && { prefix }) };
}

function searchForm(
  { href }: PageContext,
  { q = '', prefix = '' }: PageQuery,
  byPrefix: Readonly<Record<Prefix | 'none', number>>,
): Html {
  const options = [...PREFIXES, 'none' as const].map((name) => {
    const label = name === 'none' ? 'without a prefix' : name;
    return html`<option value="${name}"${selectedIf(name === prefix)}>${label} (${byPrefix[name]})</option>`;
  });
  return html`<form class="search" role="search" action="${href('/feed')}">
<label>Words <input type="search" name="q" maxlength="${MAX_LENGTHS.query}" value="${q}"></label>
<label>Kind <select name="prefix"><option value="">all</option>${options}</select></label>
<button>Search</button>
</form>`;
}

const selectedIf = (isSelected: boolean): Html => (isSelected ? html` selected` : html``);
