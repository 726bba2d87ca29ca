import { html, type Html } from '#http/html/html.ts';
import { dayOf } from '#http/pages/parts/time.ts';
import type { Lineage, Relative } from './lineage.ts';

const NOTHING = html``;

/** A first post may have been taken up by hundreds. */
const MAX_SHOWN = 12;

/** @returns the address of a message: on the page, or of its own */
export type AddressOfMessage = (id: string) => string;

/** What a message takes up and what takes it up, where nesting does not show it. */
export function trailHtml({ takesUp, reviewedBy, takenUpBy }: Lineage, addressOf: AddressOfMessage): Html {
  const lists = [
    relativesHtml('Takes up', takesUp, addressOf),
    relativesHtml('Reviewed by', reviewedBy, addressOf),
    relativesHtml('Taken up by', takenUpBy, addressOf),
  ].filter((list) => list !== NOTHING);
  return lists.length === 0 ? NOTHING : html`<p class="trail">${lists}</p>\n`;
}

function relativesHtml(label: string, relatives: readonly Relative[], addressOf: AddressOfMessage): Html {
  if (relatives.length === 0) return NOTHING;
  const links = relatives
    .slice(0, MAX_SHOWN)
    .map(
      (relative, index) =>
        html`${index === 0 ? '' : '; '}<a href="${addressOf(relative.id)}">${nameOf(relative)}</a>`,
    );
  const others = relatives.length - links.length;
  return html`<span>${label} ${links}${others === 0 ? '' : ` and ${others} more`}</span> `;
}

function nameOf({ id, head }: Relative): Html {
  if (head === undefined) return html`${id.slice(0, 13)}…${id.slice(-4)}`;
  const author = head.name === null ? NOTHING : html` by <bdi>${head.name}</bdi>`;
  return html`${head.prefix ?? 'post'}${author}, ${dayOf(head.createdAt)}`;
}
