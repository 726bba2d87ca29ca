import { normalizeForMatching } from './invisible.ts';

/** Links in each text of a guest note, project or project note. Posts have no such limit. */
export const MAX_LINKS_PER_PORCH_TEXT = 2;

/**
 * The start of a link, one alternative for each form:
 * - the scheme, together with a `www.` after it;
 * - `//host.`, unless it is inside a URL or file path: `https://a.org//b.c`, `a//b.c`;
 * - `www.`, unless it is inside a word, a host name or an e-mail address: `awww.`, `my.www.org`,
 *   `me@www.org`.
 *
 * Only Latin letters and digits count as part of a word: in many scripts a link follows a letter without a
 * space.
 */
const LINK_START = new RegExp(
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
 * Number of links in a text. A URL counts once, also `https://www.…`. A URL inside another one (of a proxy,
 * or joined without a space) counts too, since it would circumvent the limit. Host names, file names and
 * e-mail addresses do not count.
 */
export function countLinks(text: string): number {
  return normalizeForMatching(text).match(LINK_START)?.length ?? 0;
}
