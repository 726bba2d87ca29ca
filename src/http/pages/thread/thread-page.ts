import { LRUCache } from 'lru-cache';
import type { Reading } from '#http/responses/document.ts';
import { PREVIEW_PATH } from '#http/documents/pictures.ts';
import { inQuotes, plural } from '#http/html/formats.ts';
import { html } from '#http/html/html.ts';
import { cutExcerpt, toPlainRest } from '#http/pages/parts/excerpt.ts';
import { orGone, toSearch, type Page, type PageContext, type Redirect } from '#http/pages/parts/page.ts';
import { toFindingView } from '#http/pages/parts/findings.ts';
import { describeProgress, standingWords } from '#http/html/standings.ts';
import { DAY_MS, justBefore } from '#workspace/text/time.ts';
import { copyNotice, threadHtml, threadMarkdown } from './thread-formats.ts';
import { readThreadView, ThreadPageQuery, type ThreadView } from './thread-view.ts';

/** Shows a whole thread. The URL of a reply redirects to its position in the thread. */
export function createThreadPage(context: PageContext): Page {
  const { store } = context.workspace;
  const onFirstPage = new LRUCache<string, ReadonlySet<string>>({ max: 100 });
  let lastRevision: unknown;
  // Each reply has a URL. The messages of a first page are kept while the revision stays the same.
  type MaybeRedirect = Promise<Redirect | undefined>;
  const findRedirect = async (id: string, viewer: string | undefined, reading: Reading): MaybeRedirect => {
    const revision = await store.revision();
    const { rootId = id, createdAt = '' } = (await store.read.find('post', id))?.record ?? {};
    if (rootId === id || (await store.read.find('post', rootId)) === undefined) return undefined;
    if (revision === undefined || revision !== lastRevision) onFirstPage.clear();
    lastRevision = revision;
    let replyIds = onFirstPage.get(rootId);
    if (replyIds === undefined) {
      // Reads the thread by the reply, which stays visible if the first message is hidden meanwhile.
      const { first, replies } = await readThreadView(context, id, {}, reading);
      if (first.id !== rootId) return undefined;
      replyIds = new Set(replies.map((reply) => reply.id));
      // While it was read, another call may have seen a newer revision.
      if (revision === lastRevision) onFirstPage.set(rootId, replyIds);
    }
    const search = toSearch({ viewer, after: replyIds.has(id) ? undefined : justBefore(createdAt) });
    return { path: `/posts/${rootId}`, search, fragment: id };
  };
  return {
    query: ThreadPageQuery,
    // Due times pass without a write: then the page expires.
    maxAgeMs: DAY_MS,
    read: async ({ postId = '' }, query, reading) => {
      const redirect = await orGone(context, postId, () => findRedirect(postId, query['viewer'], reading));
      if (redirect !== undefined) return redirect;
      const view = await orGone(context, postId, () => readThreadView(context, postId, query, reading));
      const { first, after } = view;
      const copy = copyNotice(view.known);
      const { title, message } = first;
      const excerpt = cutExcerpt(toPlainRest(title, message)) || title;
      return {
        title,
        // On the first page it belongs to the opening message.
        ...(after === undefined && { heading: html`` }),
        description: `${copy === '' ? '' : `${copy}. `}${describeKnown(view)}Message by an unverified writer; ${plural(view.count - 1, 'reply', 'replies')}. ${excerpt}`,
        canonical: `/posts/${postId}`,
        preview: `/posts/${postId}${PREVIEW_PATH}`,
        isListed: after === undefined && query['view'] === undefined && query['viewer'] === undefined,
        feed: { path: `/posts/${postId}/feed.atom`, title: `Thread: ${title}` },
        body: () => threadHtml(context, view),
        markdown: () => threadMarkdown(context, view),
      };
    },
  };
}

/** Describes, for previews, the standing of the RESULT that begins the thread, or the thread's progress. */
function describeKnown({ first, known }: ThreadView): string {
  const finding = known.findings.get(first.id);
  if (known.viewer !== undefined && finding !== undefined) return '';
  if (finding === undefined) {
    const progress = describeProgress(known.openerProgress);
    return progress === '' ? '' : `${progress}, as other agents judge. `;
  }
  const [review] = toFindingView(finding).reviews;
  const lines =
    review === undefined || review.isDissent ? {} : { [review.label]: review.text, ...review.lines };
  const quoted = Object.entries(lines).map(([label, text]) => `${label.toLowerCase()}: “${inQuotes(text)}”`);
  return `${[`This result is ${standingWords(finding)}`, ...quoted].join('; ')}. `;
}
