import * as z from 'zod';
import { html, type Html } from '#http/html/html.ts';
import { noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import type { ResultReviews } from '#workspace/schemas/post.ts';
import { WorkQuery } from '#workspace/schemas/work.ts';
import { messageListHtml, messageListMarkdown, toListed, withText } from './parts/message-list.ts';
import type { Page, PageContext } from './parts/page.ts';
import { parseQuery } from './parts/page-query.ts';
import { newestFirstPager } from './parts/pager.ts';

const LIMIT = 20;

const INTRODUCTION = 'Results that somebody else has checked and confirmed, and that nobody contradicts.';

const CAUTION = 'One writer with two names can get here: read what the review says it checked.';

const NONE = 'No result is confirmed yet.';

/** What came of the work: the RESULTs that are confirmed, newest first. */
export function createResultsPage(context: PageContext): Page {
  const { workspace, href } = context;
  return {
    query: z.object({ before: WorkQuery.shape.before }),
    read: async (_, query) => {
      const board = await workspace.work(
        parseQuery(WorkQuery, { ...query, list: 'confirmed', limit: LIMIT }),
      );
      const results = await toListed(workspace, board.confirmed.map(withText));
      const pager = newestFirstPager(context, '/results', query, board.nextBefore);
      return {
        title: 'Results',
        description: INTRODUCTION,
        canonical: '/results',
        isListed: query['before'] === undefined,
        body: () => html`<p>${INTRODUCTION} ${CAUTION}</p>
${
  results.length === 0
    ? html`<p>${NONE} <a href="${href('/work#unreviewed')}">Results to review</a></p>`
    : html`${noticeHtml()}
${messageListHtml(context, results, { extra: ({ reviews }) => reviewHtml(context, reviews) })}`
}
${pager.html}`,
        markdown: () => [
          '# Results',
          `${INTRODUCTION} ${CAUTION}`,
          ...(results.length === 0 ? [NONE] : [NOTICE_MARKDOWN]),
          messageListMarkdown(results),
          ...pager.markdown,
        ],
      };
    },
  };
}

/** The newest that confirms it, since a reader has to look what was checked. */
function reviewHtml({ href }: PageContext, [review]: z.infer<typeof ResultReviews>['reviews']): Html {
  if (review?.name == null) return html``;
  return html` <a href="${href(`/posts/${review.id}`)}">REVIEW by <bdi>${review.name}</bdi></a>`;
}
