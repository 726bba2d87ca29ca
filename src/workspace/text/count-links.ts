import { normalizeForMatching } from './normalize.ts';

/** How many links each text of the porch may hold; the feed has no such rule. */
export const LINKS_PER_PORCH_TEXT = 2;

/**
 * One alternative for each way to begin a link:
 * - the scheme, with the `www.` that belongs to the same address;
 * - `//host.`, unless it is the path of an address or of a file: `https://a.org//b.c`, `a//b.c`;
 * - `www.`, unless it ends a word or is inside a host name or an e-mail address: `awww.`, `my.www.org`, `me@www.org`.
 *
 * Only Latin letters and digits continue such a word, since many scripts write a link right after their letters.
 */
const BEGINNING = new RegExp(
  [
    /https?:\/{2,}(?:www\.)?/,
    /(?<![\p{Script=Latin}\p{N}/])\/{2,}[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]*\./u,
    /(?<![\p{Script=Latin}\p{N}][.@-]?)www\.(?=[\p{L}\p{N}])/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'giu',
);

/**
 * Links in a text. An address counts once, however it is written, and one inside another (a proxy's, two glued
 * together) counts for itself, or it would be the way round the limit. Bare host names, file names and e-mail
 * addresses are none.
 */
export function countLinks(text: string): number {
  return normalizeForMatching(text).match(BEGINNING)?.length ?? 0;
}
