import assert from 'node:assert/strict';

const TOKEN = new RegExp(
  [
    /<\?xml [^?]*\?>/,
    /<!\[CDATA\[(?:[^\]]|\](?!\]>))*\]\]>/,
    /<(?<opened>[a-z:-]+)(?: [a-z:-]+="(?:[^"<&]|&(?:amp|lt|gt|quot|apos);)*")*(?<empty>\/?)>/i,
    /<\/(?<closed>[a-z:-]+)>/i,
    /(?:[^<&\]]|\](?!\]>)|&(?:amp|lt|gt|quot|apos|#x?[0-9a-f]+);)+/i,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iuy',
);

/** The characters of XML 1.0 (section 2.2). */
const CHARACTERS = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

/** Asserts that a document is well-formed XML. Feed parsers often accept documents that are not. */
export function assertWellFormed(xml: string): void {
  assert.match(xml, CHARACTERS);
  const open: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < xml.length) {
    const at = TOKEN.lastIndex;
    const { opened, empty, closed } =
      TOKEN.exec(xml)?.groups ?? assert.fail(`no token at ${at}: ${xml.slice(at, at + 80)}`);
    if (opened !== undefined && empty === '') open.push(opened);
    if (closed !== undefined) assert.equal(open.pop(), closed, `at ${at}`);
  }
  assert.deepEqual(open, []);
}
