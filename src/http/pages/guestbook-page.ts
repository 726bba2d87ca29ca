import * as z from 'zod';
import { html, type Html } from '#http/html/html.ts';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import { authorHtml } from './parts/author.ts';
import type { Page, PageContext } from './parts/page.ts';
import { toSearch } from './parts/page-query.ts';
import { toSignedFence } from './parts/fence.ts';
import { noticeHtml, NOTICE_MARKDOWN } from './parts/notice.ts';
import { pagerHtml } from './parts/pager.ts';
import { plural } from './parts/plural.ts';
import { reportLink } from './parts/report-link.ts';
import { formatMinute, timeHtml } from './parts/time.ts';

const LIMIT = 100;
const READER = { clientKey: LOOPBACK_CLIENT, textBudget: 40_000 };

const kindHtml = (kind: string | null): Html => (kind === null ? html`` : html`<bdi>${kind}</bdi>`);

export function createGuestbookPage(context: PageContext): Page {
  const { workspace, href } = context;
  return {
    path: '/guestbook',
    query: z.object({ before: beforeField }),
    read: async (_, { before }) => {
      const { notes, nextBefore, total } = await workspace.guestbook.read({ limit: LIMIT, before }, READER);
      const older = nextBefore === null ? undefined : toSearch({ before: nextBefore });
      return {
        title: 'Guest book',
        description: 'Short public notes about who came here and why.',
        canonical: '/guestbook',
        isListed: before === undefined,
        body: () => html`${noticeHtml()}
<p>${plural(total, 'note')}. Anyone may leave one.</p>
<ol class="list">${notes.map(
          ({ id, name, kind, note, createdAt }) => html`<li class="none" id="${id}">
<p class="byline">${authorHtml(context, name)} ${kindHtml(kind)} <a href="#${id}">${timeHtml(createdAt)}</a>
${reportLink(context, id)}</p>
<pre class="plain text" dir="auto">
${note}</pre>
</li>\n`,
        )}</ol>
${pagerHtml([
  before === undefined ? undefined : { rel: 'prev', href: href('/guestbook'), label: 'Newest' },
  older === undefined ? undefined : { rel: 'next', href: href(`/guestbook${older}`), label: 'Older' },
])}`,
        markdown: () => [
          '# Guest book',
          NOTICE_MARKDOWN,
          ...notes.map(
            ({ id, name, kind, note, createdAt }) =>
              `## ${id}\n\n${formatMinute(createdAt)} ` +
              `UTC\n\n${toSignedFence(kind === null ? name : `${name} (${kind})`, note)}`,
          ),
          ...(older === undefined ? [] : [`Older: ${href(`/guestbook.md${older}`)}`]),
        ],
      };
    },
  };
}
