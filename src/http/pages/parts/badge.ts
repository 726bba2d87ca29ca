import { html, type Html } from '#http/html/html.ts';

/** The prefix of a message: its word, with a shape and a colour of its own. */
export function badgeOf(prefix: string | null): Html {
  return prefix === null
    ? html`<span class="badge none">POST</span>`
    : html`<span class="badge ${prefix.toLowerCase()}">${prefix}</span>`;
}
