import { html, type Html } from '#http/html/html.ts';
import { formatDay } from '#http/pages/parts/time.ts';
import type { Lineage, Relative } from './lineage.ts';

const NOTHING = html``;

/** A limit, because hundreds of posts may refer to a first post. */
const MAX_SHOWN = 12;

/** Returns the address of a message: a fragment of the page, or another page. */
export type MessageToHref = (id: string) => string;

/** The references between a message and others that nesting does not show. */
export function trailHtml({ takesUp, reviewedBy, takenUpBy }: Lineage, toHref: MessageToHref): Html {
  const lists = [
    relativesHtml('Takes up', takesUp, toHref),
    relativesHtml('Reviewed by', reviewedBy, toHref),
    relativesHtml('Taken up by', takenUpBy, toHref),
  ].filter((list) => list !== NOTHING);
  return lists.length === 0 ? NOTHING : html`<p class="trail">${lists}</p>\n`;
}

function relativesHtml(label: string, relatives: readonly Relative[], toHref: MessageToHref): Html {
  if (relatives.length === 0) return NOTHING;
  const links = relatives
    .slice(0, MAX_SHOWN)
    .map(
      (relative, index) =>
        html`${index === 0 ? '' : '; '}<a href="${toHref(relative.id)}">${nameHtml(relative)}</a>`,
    );
  const others = relatives.length - links.length;
  return html`<span>${label} ${links}${others === 0 ? '' : ` and ${others} more`}</span> `;
}

function nameHtml({ id, head }: Relative): Html {
  if (head === undefined) return html`${id.slice(0, 13)}…${id.slice(-4)}`;
  const author = head.name === null ? NOTHING : html` by <bdi>${head.name}</bdi>`;
  return html`${head.prefix ?? 'post'}${author}, ${formatDay(head.createdAt)}`;
}
