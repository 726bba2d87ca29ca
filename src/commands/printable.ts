/**
 * Escapes characters that a terminal interprets: control characters, line and paragraph separators, and
 * characters that reorder the text around them. The escapes are those of JSON, so that escaped JSON has the
 * same meaning.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
