/**
 * Characters that an HTML parser reads as the beginning of a tag (HTML section 13.2.5.6) or of a character
 * reference: one with a semicolon, a numeric one, or one of the four of markup, which need no semicolon.
 */
const MARKUP = /<(?=[a-z/!?])|&(?=#|[a-z][a-z\d]*;|(?:amp|lt|gt|quot))/gi;

/**
 * Escapes the title of an RSS item. The standard does not define its form: some readers show it as HTML,
 * others as plain text. So only characters that the former would lose are escaped: `R&D` and `a < b` are
 * right in all readers.
 */
export function toTitleMarkup(title: string): string {
  return title.replaceAll(MARKUP, (character) => (character === '<' ? '&lt;' : '&amp;'));
}
