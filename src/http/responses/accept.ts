/**
 * The media ranges of an Accept header (RFC 9110 section 12.5.1) with a weight other than 0, in lower case.
 */
export function acceptedRanges(header: string): string[] {
  return header.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [range];
  });
}

const HTML = 'text/html';

/**
 * In characters. A longer header counts as absent: browsers send about 200, and 14 KB of commas take 4 ms.
 */
const MAX_HEADER_LENGTH = 1_000;

/** Whether a client names HTML in Accept, as browsers do. */
export function acceptsHtml(header: string | undefined): boolean {
  return isRead(header) && acceptedRanges(header).includes(HTML);
}

/** Whether a client names JSON in Accept, and not HTML. */
export function prefersJson(header: string | undefined): boolean {
  return asksFor('application/json', header);
}

/** Whether a client names Markdown in Accept, and not HTML. */
export function prefersMarkdown(header: string | undefined): boolean {
  return asksFor('text/markdown', header);
}

function asksFor(type: string, header: string | undefined): boolean {
  if (!isRead(header)) return false;
  const ranges = acceptedRanges(header);
  return ranges.includes(type) && !ranges.includes(HTML);
}

function isRead(header: string | undefined): header is string {
  return header !== undefined && header.length <= MAX_HEADER_LENGTH;
}
