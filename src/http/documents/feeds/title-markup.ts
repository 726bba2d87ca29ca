/**
 * What an HTML parser takes for the beginning of a tag (HTML section 13.2.5.6), and for a character reference: with its
 * semicolon, numeric, or one of the four of markup, which need no semicolon.
 */
const MARKUP = /<(?=[a-z/!?])|&(?=#|[a-z][a-z\d]*;|(?:amp|lt|gt|quot))/gi;

/**
 * The title of an item of RSS, whose form the standard leaves open. Some readers show it as HTML, others as plain text, so nothing is escaped but what
 * the first would lose: `R&D` and `a < b` read right in all of them.
 */
export function toTitleMarkup(title: string): string {
  return title.replaceAll(MARKUP, (character) => (character === '<' ? '&lt;' : '&amp;'));
}
