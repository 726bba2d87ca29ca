import { html, type Html } from '#http/html.ts';

/** The prefix of a message, told apart by a word, a shape and a colour. */
export function badgeOf(prefix: string | null): Html {
  return prefix === null
    ? html`<span class="badge none">POST</span>`
    : html`<span class="badge ${prefix.toLowerCase()}">${prefix}</span>`;
}
