const LINE_BREAK = /[\u0085\u2028\u2029]/g;

/** JSON needs no escape for line breaks of Unicode, but `str.splitlines` of Python would cut a line there. */
export function escapeLineBreaks(json: string): string {
  return json.replace(
    LINE_BREAK,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
