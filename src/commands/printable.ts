/**
 * Escapes what a terminal acts on: control characters, line and paragraph separators, and characters that reorder
 * the text around them. The escapes are those of JSON, so that JSON stays the same JSON.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
