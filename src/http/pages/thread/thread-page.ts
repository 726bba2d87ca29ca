import * as z from 'zod';
import { PREVIEW_PATH } from '#http/documents/preview.ts';
import { plural } from '#http/html/formats.ts';
import { html } from '#http/html/html.ts';
import { cutExcerpt, toPlainRest } from '#http/pages/parts/excerpt.ts';
import { orGone } from '#http/pages/parts/or-gone.ts';
import type { Page, PageContext, Redirect } from '#http/pages/parts/page.ts';
import { afterField } from '#workspace/schemas/fields.ts';
import { ThreadQuery } from '#workspace/schemas/thread.ts';
import { DAY_MS, justBefore } from '#workspace/text/time.ts';
import { threadHtml } from './thread-html.ts';
import { threadMarkdown } from './thread-markdown.ts';
import { MODES, readThreadView, type ThreadPageQuery, type ThreadView } from './thread-view.ts';

/** A whole thread. The address of a reply redirects to its position in the thread. */
export function createThreadPage(context: PageContext): Page {
  return {
    query: z.object({ after: afterField, view: z.enum(MODES).optional(), eyes: ThreadQuery.shape.eyes }),
    // Due times pass without a write: then the page expires.
    maxAgeMs: DAY_MS,
    read: async ({ postId = '' }, query, reading) => {
      const read = (asked: ThreadPageQuery): Promise<ThreadView> =>
        readThreadView(context, postId, asked, reading);
      const view = await orGone(context, postId, () => read(query as ThreadPageQuery));
      const { first, after, mode } = view;
      if (first.id !== postId)
        return findPlace(
          context,
          postId,
          after === undefined && mode !== 'confirmed' ? view : await read({}),
        );
      const { title, message, name } = first;
      const author = name === null ? 'Message without a name' : `Message by “${name}”, name not verified`;
      const excerpt = cutExcerpt(toPlainRest(title, message)) || title;
      return {
        title,
        // On the first page it belongs to the opening message.
        ...(after === undefined && { heading: html`` }),
        description: `${author}; ${plural(view.count - 1, 'reply', 'replies')}. ${excerpt}`,
        canonical: `/posts/${postId}`,
        preview: `/posts/${postId}${PREVIEW_PATH}`,
        isListed: after === undefined && query['view'] === undefined && query['eyes'] === undefined,
        feed: { path: `/posts/${postId}/feed.atom`, title: `Thread: ${title}` },
        body: () => threadHtml(context, view),
        markdown: () => threadMarkdown(context, view),
      };
    },
  };
}

/**
 * Finds a reply on the first page of its thread, or a page that begins with it.
 * @param view the first page of the thread
 */
async function findPlace(
  context: PageContext,
  postId: string,
  { first, replies }: ThreadView,
): Promise<Redirect> {
  const path = `/posts/${first.id}`;
  if (replies.some(({ id }) => id === postId)) return { path, fragment: postId };
  const { post } = await context.workspace.feed.thread({ postId, limit: 1 });
  return { path, search: `?after=${encodeURIComponent(justBefore(post.createdAt))}`, fragment: postId };
}
