const LINE_BREAK = /[\u0085\u2028\u2029]/g;

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON allows unescaped Unicode line breaks, but Python's `str.splitlines` would split on them. */
export const escapeLineBreaks = (json: string): string => escapeCharacters(json, LINE_BREAK);

/** Uses JSON escapes, so escaped JSON keeps its meaning. @param characters a global pattern, in the BMP */
export const escapeCharacters = (text: string, characters: RegExp): string =>
  text.replace(characters, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
