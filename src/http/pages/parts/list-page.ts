import * as z from 'zod';
import { html, type Html } from '#http/html/html.ts';
import { NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import type { Page, PageContent, PageContext } from './page.ts';
import { newestFirstPager } from './pager.ts';

interface ListPage extends Pick<Page, 'maxAgeMs'>, Pick<PageContent, 'title' | 'description' | 'feed'> {
  readonly path: string;
  readonly read: (before: string | undefined) => Promise<ListedItems>;
}

interface ListedItems extends Pick<PageContent, 'body' | 'markdown'> {
  readonly nextBefore: string | null;
  /** Whether it has texts of strangers, of which its Markdown says so. */
  readonly hasNotice: boolean;
}

/** A page that is one list, newest first. */
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
