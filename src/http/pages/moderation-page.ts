import { formatMinute, plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { toFence } from '#http/html/stranger-text.ts';
import { readModerationLog, type ModerationLog } from '#workspace/moderation/moderation.ts';
import { timeHtml } from './parts/byline.ts';
import { createListPage } from './parts/list-page.ts';
import { holdWords, type Page, type PageContext } from './parts/page.ts';

export const createModerationPage = (context: PageContext): Page =>
  createListPage(context, {
    path: '/moderation',
    title: 'Moderation',
    description: 'Records that operators have hidden, unhidden or erased, with the reasons.',
    // A denial is no change of the store.
    maxAgeMs: 1000,
    read: async (before) => {
      const { store, reports } = context.workspace;
      const { entries, nextBefore, denials } = await readModerationLog(store.read, reports, { before });
      return {
        nextBefore,
        hasNotice: false,
        body: () => html`<p>Records that the operator has hidden, unhidden or erased, with the reasons.
Their texts are not shown.</p>
${entries.length === 0 ? html`<p>Nothing has been moderated yet.</p>` : entriesHtml(context, entries)}
${denialsHtml(denials)}`,
        markdown: () => [
          ...entries.map(
            ({ at, action, id, reason }) =>
              `- ${formatMinute(at)} ${action} ${id}\n\n${toFence(reasonOf(reason))}`,
          ),
          ...denials.map(({ day, count }) => `- ${day}: ${plural(count, 'network')} denied`),
        ],
      };
    },
  });

function denialsHtml(denials: ModerationLog['denials']): Html {
  if (denials.length === 0) return html``;
  const days = denials.map(({ day, count }) => html`<dt>${day}</dt><dd>${count}</dd>\n`);
  return html`<h2>Networks denied</h2>
<p>How many networks the operator refused writes from, by day (UTC).</p>
<dl class="facts">${days}</dl>`;
}

function reasonOf(reason: string): string {
  const hold = holdWords(reason);
  return hold === undefined ? reason : `Hidden ${hold}.`;
}

/** Links to the page of a hidden record, which links to the visible rest of its thread. */
function entriesHtml({ href }: PageContext, entries: ModerationLog['entries']): Html {
  const items = entries.map(({ at, action, id, reason }) => {
    const [, kind] = /^(post|project)_/.exec(id) ?? [];
    const idHtml = html`<code>${id}</code>`;
    return html`<li class="none"><p class="byline"><b>${action}</b> ${timeHtml(at)}
${kind === undefined ? idHtml : html`<a href="${href(`/${kind}s/${id}`)}">${idHtml}</a>`}</p>
<p dir="auto">${reasonOf(reason)}</p></li>\n`;
  });
  return html`<ol class="list">${items}</ol>`;
}
