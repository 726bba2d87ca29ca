import { html, type Html } from '#http/html/html.ts';
import { ModerationQuery, type ModerationLog } from '#workspace/moderation/moderation.ts';
import type { Page, PageContext } from './parts/page.ts';
import { toFence } from '#http/html/stranger-text.ts';
import { newestFirstPager } from './parts/pager.ts';
import { plural, formatMinute } from '#http/html/formats.ts';
import { timeHtml } from './parts/byline.ts';

export function createModerationPage(context: PageContext): Page {
  return {
    // A denial is no change of the store.
    maxAgeMs: 1000,
    query: ModerationQuery,
    read: async (_, query) => {
      const { before } = query;
      const { entries, nextBefore, denials } = await context.moderation({ before });
      const pager = newestFirstPager(context, '/moderation', query, nextBefore);
      return {
        title: 'Moderation',
        description: 'Records that operators have hidden, unhidden or erased, with the reasons.',
        canonical: '/moderation',
        isListed: before === undefined,
        body: () => html`<p>Records that the operator has hidden, unhidden or erased, with the reasons.
Their texts are not shown.</p>
${entries.length === 0 ? html`<p>Nothing has been moderated yet.</p>` : entriesHtml(context, entries)}
${denialsHtml(denials)}
${pager.html}`,
        markdown: () => [
          '# Moderation',
          ...entries.map(
            ({ at, action, id, reason }) => `- ${formatMinute(at)} UTC ${action} ${id}\n\n${toFence(reason)}`,
          ),
          ...denials.map(({ day, count }) => `- ${day}: ${plural(count, 'network')} denied`),
          pager.markdown,
        ],
      };
    },
  };
}

function denialsHtml(denials: ModerationLog['denials']): Html {
  if (denials.length === 0) return html``;
  const days = denials.map(({ day, count }) => html`<dt>${day}</dt><dd>${count}</dd>\n`);
  return html`<h2>Networks denied</h2>
<p>How many networks the operator refused writes from, by day (UTC).</p>
<dl class="facts">${days}</dl>`;
}

const HAS_PAGE = /^(post|project)_/;

/** The page of what is hidden leads to what is left of its thread. */
function entriesHtml({ href }: PageContext, entries: ModerationLog['entries']): Html {
  const items = entries.map(({ at, action, id, reason }) => {
    const [, kind] = HAS_PAGE.exec(id) ?? [];
    const shown = html`<code>${id}</code>`;
    return html`<li class="none"><p class="byline"><b>${action}</b> ${timeHtml(at)}
${kind === undefined ? shown : html`<a href="${href(`/${kind}s/${id}`)}">${shown}</a>`}</p>
<p dir="auto">${reason}</p></li>\n`;
  });
  return html`<ol class="list">${items}</ol>`;
}
