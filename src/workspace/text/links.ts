import { normalizeForMatching } from './invisible.ts';
import { MAX_LENGTHS } from './lengths.ts';
import {
  firstMatchPosition,
  refuse,
  validateStoredText,
  validateText,
  type ForbiddenPattern,
} from './text-rules.ts';

/** The maximum number of links in each text of a guest note, project or project note. Posts have no limit. */
export const MAX_LINKS_PER_PORCH_TEXT = 2;

/**
 * The start of a link. Each alternative is one form:
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
 * Counts the links in a text. `https://www.…` is one link. A URL inside another one (of a proxy, or joined
 * without a space) counts as well, because it could otherwise circumvent the limit. Host names, file names
 * and e-mail addresses do not count.
 */
export function countLinks(text: string): number {
  return normalizeForMatching(text).match(LINK_START)?.length ?? 0;
}

const RULE = { max: MAX_LENGTHS.webAddress, lines: 'one' } as const;

const ENCODE = 'remove it or write it percent-encoded';
const FORBIDDEN: readonly ForbiddenPattern[] = [
  { pattern: /[\p{White_Space}\u2800]/u, error: refuse('white space', ENCODE) },
  { pattern: /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u, error: refuse('an invisible character', ENCODE) },
  { pattern: /\\/u, error: refuse('a backslash', 'write / or %5C instead') },
];

const SCHEME = /^https?:\/\//i;
const HOST = /^https?:\/\/[^/?#]/i;
const CREDENTIALS = /^https?:\/\/[^/?#]*@/i;

/**
 * Validates the URL of a project before the URL parser (WHATWG URL) repairs it: the URL is stored as it was
 * sent, and another parser may find another host in it.
 * @returns the error, in the form of `validateText`; null if the URL is valid
 */
export function validateWebAddress(text: string): string | null {
  return validateText(text, RULE) ?? charactersError(text) ?? schemeError(text) ?? partsError(text);
}

/**
 * Validates a URL in an export: it can be stored, and it is http or https, because pages link to it.
 * @returns the error; null if the URL is valid
 */
export function validateStoredWebAddress(text: string): string | null {
  return validateStoredText(text, MAX_LENGTHS.webAddress) ?? schemeError(text);
}

function charactersError(text: string): string | null {
  for (const { pattern, error } of FORBIDDEN) {
    const match = firstMatchPosition(text, pattern);
    if (match) return error(match);
  }
  return null;
}

function schemeError(text: string): string | null {
  return SCHEME.test(text) ? null : 'is not a web address: begin it with http:// or https://';
}

function partsError(text: string): string | null {
  if (!HOST.test(text)) return 'has no host: name one right after the two slashes';
  if (CREDENTIALS.test(text))
    return 'contains a user name or password before an @: remove it, since posts are public';
  return URL.canParse(text) ? null : 'is not a valid web address: check its host and port';
}
