import * as z from 'zod';
import { html, type Html } from '#http/html/html.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import { readGuestbook } from '#workspace/porch/porch.ts';
import { authorHtml, timeHtml, reportLink } from './parts/byline.ts';
import type { Page, PageContext } from './parts/page.ts';
import { toEntry, toSignedFence, noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { newestFirstPager } from './parts/pager.ts';
import { plural, formatMinute } from '#http/html/formats.ts';

const LIMIT = 100;
const TEXT_LIMIT = { textBudget: 40_000 };

const kindHtml = (kind: string | null): Html => (kind === null ? html`` : html`<bdi>${kind}</bdi>`);

export function createGuestbookPage(context: PageContext): Page {
  const { workspace } = context;
  return {
    query: z.object({ before: beforeField }),
    read: async (_, query) => {
      const { before } = query;
      const { notes, nextBefore, total } = await readGuestbook(
        workspace,
        { limit: LIMIT, before },
        TEXT_LIMIT,
      );
      const pager = newestFirstPager(context, '/guestbook', query, nextBefore);
      return {
        title: 'Guest book',
        description: 'Short public notes about who came here and why.',
        canonical: '/guestbook',
        isListed: before === undefined,
        body: () => html`${total === 0 ? '' : noticeHtml()}
<p>${plural(total, 'note')}. Anyone can leave one.</p>
<ol class="list">${notes.map(
          ({ id, name, kind, note, createdAt }) => html`<li class="none" id="${id}">
<p class="byline">${authorHtml(context, name)} ${kindHtml(kind)} <a href="#${id}">${timeHtml(createdAt)}</a>
${reportLink(context, id)}</p>
<pre class="plain text" dir="auto">
${note}</pre>
</li>\n`,
        )}</ol>
${pager.html}`,
        markdown: () => [
          '# Guest book',
          ...(total === 0 ? [] : [NOTICE_MARKDOWN]),
          ...notes.map(({ id, name, kind, note, createdAt }) => {
            const writer = kind === null ? name : `${name} (${kind})`;
            return toEntry(`## ${id}`, [`${formatMinute(createdAt)} UTC`], toSignedFence(writer, note));
          }),
          pager.markdown,
        ],
      };
    },
  };
}
