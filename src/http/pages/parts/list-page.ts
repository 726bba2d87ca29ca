import * as z from 'zod';
import { html, type Html } from '#http/html/html.ts';
import { NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import {
  toMarkdownPath,
  toSearch,
  type Page,
  type PageContent,
  type PageContext,
  type PageQuery,
} from './page.ts';

export interface PagerLink {
  /** From `PageContext.href`. */
  readonly href: string;
  readonly label: string;
  readonly rel: 'next' | 'prev' | 'up';
}

/** Links to the other pages of a list. @param label names the list for screen readers */
export function pagerHtml(steps: readonly (PagerLink | undefined)[], label = 'More of this list'): Html {
  const links = steps
    .filter((step) => step !== undefined)
    .map(({ rel, href, label: name }) => html`<a rel="${rel}" href="${href}">${name}</a> `);
  return links.length === 0 ? html`` : html`<nav class="pager" aria-label="${label}">${links}</nav>`;
}

/**
 * The link to the next page of a list, as HTML and as Markdown.
 * @param query with its cursor; null on the last page, which has no next one
 * @param words before the URL in Markdown
 */
export function nextPage(
  { href }: Pick<PageContext, 'href'>,
  path: string,
  query: Readonly<Record<string, string | null | undefined>>,
  label = 'Older',
  words = 'Older',
): { readonly link: PagerLink; readonly markdown: string } | undefined {
  if (Object.values(query).includes(null)) return undefined;
  const search = toSearch(query);
  return {
    link: { rel: 'next', href: href(path + search), label },
    markdown: `${words}: ${href(toMarkdownPath(path) + search)}`,
  };
}

/**
 * The links from a page of a list that begins with its newest item, as HTML and as Markdown.
 * @param query of the page
 */
export function newestFirstPager(
  context: Pick<PageContext, 'href'>,
  path: string,
  query: PageQuery,
  nextBefore: string | null,
  label?: string,
): { readonly html: Html; readonly markdown: string | undefined } {
  const { before, ...filters } = query;
  const newest = { rel: 'prev', href: context.href(path + toSearch(filters)), label: 'Newest' } as const;
  const older = nextPage(context, path, { ...query, before: nextBefore }, label);
  return {
    html: pagerHtml([before === undefined ? undefined : newest, older?.link]),
    markdown: older?.markdown,
  };
}

interface ListPage extends Pick<Page, 'maxAgeMs'>, Pick<PageContent, 'title' | 'description' | 'feed'> {
  readonly path: string;
  readonly read: (before: string | undefined) => Promise<ListedItems>;
}

interface ListedItems extends Pick<PageContent, 'body' | 'markdown'> {
  readonly nextBefore: string | null;
  /** Whether it contains texts of strangers, which its Markdown then states. */
  readonly hasNotice: boolean;
}

/** Shows a page that is one list, newest first. */
export const createListPage = (context: PageContext, { path, maxAgeMs, read, ...head }: ListPage): Page => ({
  query: z.object({ before: beforeField }),
  ...(maxAgeMs !== undefined && { maxAgeMs }),
  read: async (_, query) => {
    const { nextBefore, hasNotice, body, markdown } = await read(query['before']);
    const pager = newestFirstPager(context, path, query, nextBefore);
    return {
      ...head,
      canonical: path,
      isListed: query['before'] === undefined,
      body: (): Html => html`${body()}
${pager.html}`,
      markdown: () => [`# ${head.title}`, hasNotice ? NOTICE_MARKDOWN : '', ...markdown(), pager.markdown],
    };
  },
});
