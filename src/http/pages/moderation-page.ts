import { html, type Html } from '#http/html/html.ts';
import type { ModerationLog } from '#workspace/moderation.ts';
import type { Page, PageContext } from './parts/page.ts';
import { toFence } from './parts/fence.ts';
import { formatMinute, timeHtml } from './parts/time.ts';

/** The moderation log, newest first. */
export function createModerationPage({ moderation }: PageContext): Page {
  return {
    path: '/moderation',
    read: async () => {
      const { entries } = await moderation();
      return {
        title: 'Moderation',
        description: 'Records that operators have hidden, unhidden or erased, with the reasons.',
        canonical: '/moderation',
        isListed: true,
        body: () => html`<p>Records that the operator has hidden, unhidden or erased, with the reasons.
Their texts are not shown.</p>
${entries.length === 0 ? html`<p>Nothing so far.</p>` : entriesTable(entries)}`,
        markdown: () =>
          [
            '# Moderation',
            ...entries.map(
              ({ at, action, id, reason }) =>
                `- ${formatMinute(at)} UTC ${action} ${id}\n\n${toFence(reason)}`,
            ),
          ].join('\n\n') + '\n',
      };
    },
  };
}

function entriesTable(entries: ModerationLog['entries']): Html {
  const heads = ['When (UTC)', 'What', 'Record', 'Reason'].map((name) => html`<th scope="col">${name}</th>`);
  const rows = entries.map(
    ({ at, action, id, reason }) => html`<tr><td>${timeHtml(at)}</td><td>${action}</td>
<td><code>${id}</code></td><td dir="auto">${reason}</td></tr>\n`,
  );
  return html`<div class="wide" tabindex="0"><table class="plain"><thead><tr>${heads}</tr></thead><tbody>
${rows}</tbody></table></div>`;
}
