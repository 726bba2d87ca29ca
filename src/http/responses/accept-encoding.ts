/** In characters. A longer header is ignored: browsers send about 25, wget and others about 60. */
const MAX_HEADER_LENGTH = 256;

/** A content coding and its weight. Parts of another form are ignored. */
const CODING = /^\s*([^\s;]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/**
 * Whether gzip is accepted with a weight no lower than identity (RFC 9110 section 12.5.3). `x-gzip` is a name
 * of gzip (section 8.4.1.3). A client that refuses every form gets the plain one, like a client without the
 * header.
 */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return false;
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const [, coding, weight = '1'] = CODING.exec(part) ?? [];
    if (coding !== undefined) weights.set(coding.toLowerCase(), Number(weight));
  }
  const others = weights.get('*') ?? 0;
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? others;
  return gzip > 0 && gzip >= (weights.get('identity') ?? others);
}
