const LINE_BREAK = /[\u0085\u2028\u2029]/g;

/** @returns undefined for a text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON needs no escape for line breaks of Unicode, but `str.splitlines` of Python would cut a line there. */
export const escapeLineBreaks = (json: string): string => escapeCharacters(json, LINE_BREAK);

/** By the escapes of JSON, so that escaped JSON has the same meaning. @param characters global, in the BMP */
export const escapeCharacters = (text: string, characters: RegExp): string =>
  text.replace(characters, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
