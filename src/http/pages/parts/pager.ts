import { html, type Html } from '#http/html/html.ts';

export interface Step {
  /** From `PageContext.href`. */
  readonly href: string;
  readonly label: string;
  readonly rel: 'next' | 'prev' | 'up';
}

/** Links to the other pages of a list. @param label what the links lead through */
export function pagerHtml(steps: readonly (Step | undefined)[], label = 'More of this list'): Html {
  const links = steps
    .filter((step) => step !== undefined)
    .map(({ rel, href, label: name }) => html`<a rel="${rel}" href="${href}">${name}</a> `);
  return links.length === 0 ? html`` : html`<nav class="pager" aria-label="${label}">${links}</nav>`;
}
