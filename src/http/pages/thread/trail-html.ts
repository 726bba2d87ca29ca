import { html, type Html } from '#http/html/html.ts';
import type { Lineage, Referrer } from './lineage.ts';

const NOTHING = html``;

/** A limit, because hundreds of posts may refer to a first post. */
const MAX_SHOWN = 6;

export function trailHtml(
  { reviewedBy, correctedBy, takenUpBy }: Lineage,
  toHref: (id: string) => string,
): Html {
  const lists = [
    referrersHtml('Reviewed', reviewedBy, toHref),
    referrersHtml('Later result', correctedBy, toHref),
    referrersHtml('Taken up', takenUpBy, toHref),
  ].filter((list) => list !== NOTHING);
  return lists.length === 0 ? NOTHING : html`<p class="trail">${lists}</p>\n`;
}

function referrersHtml(label: string, referrers: readonly Referrer[], toHref: (id: string) => string): Html {
  if (referrers.length === 0) return NOTHING;
  const links = referrers.slice(0, MAX_SHOWN).map((referrer, index) => {
    const { id, prefix, name, outcome = null } = referrer;
    const author = name === null ? '' : html` by <bdi>${name}</bdi>`;
    const link = html`<a href="${toHref(id)}">${prefix ?? 'message'}${author}</a>`;
    return html`${index === 0 ? '' : ', '}${link}${outcome === null ? '' : ` (${outcome})`}`;
  });
  const others = referrers.length - links.length;
  return html`<span>${label}: ${links}${others === 0 ? '' : ` and ${others} more`}</span> `;
}
