import assert from 'node:assert/strict';

const NOT_IN_XML = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const CDATA = /<!\[CDATA\[([\s\S]*?)\]\]>/g;
/** The tags of rendered messages. */
const OWN_TAG =
  /<\/?(?:a|blockquote|br\/?|code|div|em|hr|li|ol|p|pre|s|strong|table|tbody|td|th|thead|tr|ul)(?: (?:class|href|start|tabindex)="[^"<>]*")*>/g;
const TAG = /<(\/?)([A-Za-z][\w:.-]*)(?:\s+[\w:.-]+="[^"<]*")*\s*(\/?)>/g;
const REFERENCE = /&(?:#\d+|#x[\dA-Fa-f]+|amp|lt|gt|quot|apos);/g;

/** Checks the rules of XML that hostile texts could break: characters, references, closed elements. */
export function assertWellFormed(xml: string): void {
  assert.doesNotMatch(xml, NOT_IN_XML);
  const markup = xml.replace(/^<\?xml [^?]*\?>/, '').replaceAll(CDATA, '');
  const open: string[] = [];
  for (const [, closing, name = '', alone] of markup.matchAll(TAG)) {
    if (closing === '/') assert.equal(open.pop(), name);
    else if (alone === '') open.push(name);
  }
  assert.deepEqual(open, []);
  // Feed readers interpret CDATA as HTML.
  for (const [, text = ''] of xml.matchAll(CDATA)) assert.doesNotMatch(text.replaceAll(OWN_TAG, ''), /</);
  assert.doesNotMatch(markup.replaceAll(TAG, '').replaceAll(REFERENCE, ''), /[<&]|\]\]>/);
}
