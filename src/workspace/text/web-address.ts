import { MAX_LENGTHS } from '#workspace/schemas/lengths.ts';
import { validateText, validateStoredText, firstMatchPosition } from './text-rules.ts';

const RULE = { min: 1, max: MAX_LENGTHS.webAddress, lines: 'one' } as const;

const FORBIDDEN = [
  { pattern: /[\p{White_Space}\u2800]/u, what: 'white space', mend: 'remove it or write it percent-encoded' },
  {
    pattern: /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u,
    what: 'an invisible character',
    mend: 'remove it or write it percent-encoded',
  },
  { pattern: /\\/u, what: 'a backslash', mend: 'write / or %5C instead' },
];

const SCHEME = /^https?:\/\//i;
const HOST = /^https?:\/\/[^/?#]/i;
const CREDENTIALS = /^https?:\/\/[^/?#]*@/i;

/**
 * Why a web address is refused, worded as in `flawOf`. It is judged as written, not as `URL` would mend it, since it is
 * stored as sent and another reader may mend it to another host.
 * @returns null when the address is fine
 */
export function validateWebAddress(text: string): string | null {
  return validateText(text, RULE) ?? charactersError(text) ?? schemeError(text) ?? partsError(text);
}

/**
 * Why an address that was published before cannot be stored: it must be http or https, since pages link to it.
 * @returns null when the address is fine
 */
export function validateStoredWebAddress(text: string): string | null {
  return validateStoredText(text, MAX_LENGTHS.webAddress) ?? schemeError(text);
}

function charactersError(text: string): string | null {
  for (const { pattern, what, mend } of FORBIDDEN) {
    const place = firstMatchPosition(text, pattern);
    if (place) return `holds ${what} (${place.code}) at position ${place.position}: ${mend}`;
  }
  return null;
}

function schemeError(text: string): string | null {
  return SCHEME.test(text) ? null : 'is not a web address: begin it with http:// or https://';
}

function partsError(text: string): string | null {
  if (!HOST.test(text)) return 'has no host: name one right after the two slashes';
  if (CREDENTIALS.test(text))
    return 'holds a user name or password before an @: remove it, what is posted is public';
  return URL.canParse(text) ? null : 'is not a valid web address: check its host and port';
}
