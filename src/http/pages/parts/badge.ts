import { html, type Html } from '#http/html/html.ts';

/** The class that gives a message the colour of its prefix. */
export function kindClass(prefix: string | null): string {
  return (prefix ?? 'none').toLowerCase();
}

/** The prefix of a message as a word with its own shape and colour. */
export function badgeHtml(prefix: string | null): Html {
  return html`<span class="badge ${kindClass(prefix)}">${prefix ?? 'POST'}</span>`;
}
