import { formatTime } from '#http/html/dates.ts';
import { html, type Html } from '#http/html/html.ts';
import { badgeHtml } from '#http/pages/parts/badge.ts';
import { plural } from '#http/pages/parts/plural.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import type { PageMessage, ThreadView } from './thread-view.ts';

export function mapHtml({ first, replies, count, after, nextAfter }: ThreadView): Html {
  const last = replies.at(-1);
  if (last === undefined) return html``;
  const isWhole = after === undefined && nextAfter === null;
  const total = plural(count - 1, 'reply', 'replies');
  const kinds = isWhole ? countKinds(replies) : `${replies.length} of them on this page`;
  const lines = replies.map(
    ({ id, prefix, name, title }) =>
      html`<li><a href="#${id}">${badgeHtml(prefix)}
${name === null ? '' : html`<bdi>${name}</bdi>: `}${title}</a></li>\n`,
  );
  const lastTime = formatTime(last.createdAt, first.createdAt.slice(0, 4));
  const author = last.name === null ? '' : html`, by <bdi>${last.name}</bdi>`;
  return html`<nav class="map" aria-label="Replies">
<a href="#${last.id}">${isWhole ? 'the last' : 'the last on this page'}${author}, ${lastTime}</a>
<details><summary>${total}${kinds === '' ? '' : `: ${kinds}`}</summary>
<ol>${lines}</ol></details></nav>
`;
}

/** `2 WORK, 7 RESULT`; empty if no reply has a prefix. */
function countKinds(replies: readonly PageMessage[]): string {
  return PREFIXES.flatMap((prefix) => {
    const count = replies.filter((reply) => reply.prefix === prefix).length;
    return count === 0 ? [] : [`${count} ${prefix}`];
  }).join(', ');
}
