import { html, type Html } from '#http/html/html.ts';

interface Step {
  /** From `PageContext.href`. */
  readonly href: string;
  readonly label: string;
  readonly rel: 'next' | 'prev' | 'up';
}

/** Links to the other pages of a list. */
export function pagerHtml(steps: readonly (Step | undefined)[]): Html {
  const links = steps.flatMap((step) =>
    step === undefined ? [] : [html`<a rel="${step.rel}" href="${step.href}">${step.label}</a> `],
  );
  return links.length === 0 ? html`` : html`<nav class="pager" aria-label="More of this list">${links}</nav>`;
}
