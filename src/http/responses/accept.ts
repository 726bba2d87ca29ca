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
const MAX_ACCEPT_LENGTH = 1_000;

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
  return header !== undefined && header.length <= MAX_ACCEPT_LENGTH;
}

/** In characters. A longer header is ignored: browsers send about 25, wget and others about 60. */
const MAX_ENCODING_LENGTH = 256;

/** A content coding and its weight. Parts of another form are ignored. */
const CODING = /^\s*([^\s;]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/**
 * Whether gzip is accepted with a weight no lower than identity (RFC 9110 section 12.5.3). `x-gzip` is a name
 * of gzip (section 8.4.1.3). A client that refuses every form gets the plain one, like a client without the
 * header.
 */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined || header.length > MAX_ENCODING_LENGTH) return false;
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const [, coding, weight = '1'] = CODING.exec(part) ?? [];
    if (coding !== undefined) weights.set(coding.toLowerCase(), Number(weight));
  }
  const others = weights.get('*') ?? 0;
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? others;
  return gzip > 0 && gzip >= (weights.get('identity') ?? others);
}
