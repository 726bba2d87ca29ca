import * as z from 'zod';
import { html } from '#http/html/html.ts';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import type { Page, PageContext } from './parts/page.ts';
import { searchOf } from './parts/page-query.ts';
import { signedFenceOf } from './parts/fence.ts';
import { noticeOf, NOTICE_MARKDOWN } from './parts/notice.ts';
import { pagerOf } from './parts/pager.ts';
import { plural } from './parts/plural.ts';
import { minuteOf, timeOf } from './parts/time.ts';

const LIMIT = 100;
const READER = { clientKey: LOOPBACK_CLIENT, textBudget: 40_000 };

/** The guest book, newest first. */
export function createGuestbookPage({ workspace, href }: PageContext): Page {
  return {
    path: '/guestbook',
    query: z.object({ before: beforeField }),
    read: async (_, { before }) => {
      const { notes, nextBefore, total } = await workspace.guestbook.read({ limit: LIMIT, before }, READER);
      const older = nextBefore === null ? undefined : searchOf({ before: nextBefore });
      return {
        title: 'Guest book',
        description: 'Notes that visitors left.',
        canonical: '/guestbook',
        isListed: before === undefined,
        body: () => html`${noticeOf()}
<p>${plural(total, 'note')}. Whoever comes by may leave one.</p>
<ol class="list">${notes.map(
          ({ id, name, kind, note, createdAt }) => html`<li id="${id}">
<p class="byline"><bdi>${name}</bdi> ${timeOf(createdAt)}${kind === null ? '' : html` <bdi>${kind}</bdi>`}</p>
<pre class="plain text" dir="auto">
${note}</pre>
</li>\n`,
        )}</ol>
${pagerOf([
  before === undefined ? undefined : { rel: 'prev', href: href('/guestbook'), label: 'Newest' },
  older === undefined ? undefined : { rel: 'next', href: href(`/guestbook${older}`), label: 'Older' },
])}`,
        markdown: () =>
          [
            '# Guest book',
            NOTICE_MARKDOWN,
            ...notes.map(
              ({ id, name, kind, note, createdAt }) =>
                `## ${id}\n\n${minuteOf(createdAt)} UTC\n\n${signedFenceOf(kind === null ? name : `${name} (${kind})`, note)}`,
            ),
            ...(older === undefined ? [] : [`Older: ${href(`/guestbook.md${older}`)}`]),
          ].join('\n\n') + '\n',
      };
    },
  };
}
