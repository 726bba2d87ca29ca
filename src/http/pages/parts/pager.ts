import { html, type Html } from '#http/html/html.ts';
import { toMarkdownPath, toSearch, type PageContext, type PageQuery } from './page.ts';

export interface PagerLink {
  /** From `PageContext.href`. */
  readonly href: string;
  readonly label: string;
  readonly rel: 'next' | 'prev' | 'up';
}

/** Links to the other pages of a list. @param label what the links lead through */
export function pagerHtml(steps: readonly (PagerLink | undefined)[], label = 'More of this list'): Html {
  const links = steps
    .filter((step) => step !== undefined)
    .map(({ rel, href, label: name }) => html`<a rel="${rel}" href="${href}">${name}</a> `);
  return links.length === 0 ? html`` : html`<nav class="pager" aria-label="${label}">${links}</nav>`;
}

/**
 * The links from a page of a list that begins with its newest item, as HTML and as Markdown.
 * @param query of the page
 */
export function newestFirstPager(
  { href }: Pick<PageContext, 'href'>,
  path: string,
  query: PageQuery,
  nextBefore: string | null,
  label = 'Older',
): { readonly html: Html; readonly markdown: readonly string[] } {
  const { before, ...filters } = query;
  const older = nextBefore === null ? undefined : toSearch({ ...query, before: nextBefore });
  return {
    html: pagerHtml([
      before === undefined
        ? undefined
        : { rel: 'prev', href: href(path + toSearch(filters)), label: 'Newest' },
      older === undefined ? undefined : { rel: 'next', href: href(path + older), label },
    ]),
    markdown: older === undefined ? [] : [`Older: ${href(toMarkdownPath(path) + older)}`],
  };
}
