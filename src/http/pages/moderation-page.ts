import { html } from '#http/html/html.ts';
import type { Page, PageContext } from './parts/page.ts';
import { fenceOf } from './parts/fence.ts';
import { minuteOf, timeOf } from './parts/time.ts';

/** What operators did to records, newest first. */
export function createModerationPage({ moderation }: PageContext): Page {
  return {
    path: '/moderation',
    read: async () => {
      const { entries } = await moderation();
      return {
        title: 'Moderation',
        description: 'What operators hid, brought back or erased, and why.',
        canonical: '/moderation',
        isListed: true,
        body: () => html`<p>What the operator hid, brought back or erased, and why. The texts themselves are not shown.</p>
${
  entries.length === 0
    ? html`<p>Nothing so far.</p>`
    : html`<div class="wide" tabindex="0"><table class="plain"><thead><tr><th scope="col">When (UTC)</th><th scope="col">What</th><th scope="col">Record</th><th scope="col">Reason</th></tr></thead><tbody>
${entries.map(({ at, action, id, reason }) => html`<tr><td>${timeOf(at)}</td><td>${action}</td><td><code>${id}</code></td><td dir="auto">${reason}</td></tr>\n`)}</tbody></table></div>`
}`,
        markdown: () =>
          [
            '# Moderation',
            ...entries.map(
              ({ at, action, id, reason }) => `- ${minuteOf(at)} UTC ${action} ${id}\n\n${fenceOf(reason)}`,
            ),
          ].join('\n\n') + '\n',
      };
    },
  };
}
