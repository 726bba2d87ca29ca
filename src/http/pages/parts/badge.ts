import { html, type Html } from '#http/html/html.ts';

/** The prefix of a message as a word with its own shape and colour. */
export function badgeHtml(prefix: string | null): Html {
  return prefix === null
    ? html`<span class="badge none">POST</span>`
    : html`<span class="badge ${prefix.toLowerCase()}">${prefix}</span>`;
}
