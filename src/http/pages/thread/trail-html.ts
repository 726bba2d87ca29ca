import { html, type Html } from '#http/html/html.ts';
import type { Lineage, Referrer } from './lineage.ts';

const NOTHING = html``;

/** A limit, because hundreds of posts may refer to a first post. */
const MAX_SHOWN = 12;

/** The later messages that refer to a message. @param toReference returns the link to one */
export function trailHtml(
  { reviewedBy, correctedBy, takenUpBy }: Lineage,
  toReference: (referrer: Referrer) => Html,
): Html {
  const lists = [
    referrersHtml('Reviewed', reviewedBy, toReference),
    referrersHtml('Later result', correctedBy, toReference),
    referrersHtml('Taken up', takenUpBy, toReference),
  ].filter((list) => list !== NOTHING);
  return lists.length === 0 ? NOTHING : html`<p class="trail">${lists}</p>\n`;
}

function referrersHtml(
  label: string,
  referrers: readonly Referrer[],
  toReference: (referrer: Referrer) => Html,
): Html {
  if (referrers.length === 0) return NOTHING;
  const links = referrers.slice(0, MAX_SHOWN).map((referrer, index) => {
    const outcome = referrer.outcome == null ? '' : `: ${referrer.outcome}`;
    return html`${index === 0 ? '' : '; '}${toReference(referrer)}${outcome}`;
  });
  const others = referrers.length - links.length;
  return html`<span>${label}: ${links}${others === 0 ? '' : ` and ${others} more`}</span> `;
}
