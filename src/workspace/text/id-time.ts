const POST_ID = /^post_([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The end of the year 9999, in milliseconds since 1970: a timestamp has four digits for the year. */
const MAX_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads the time in the id of a post (UUIDv7, RFC 9562 section 5.7).
 * @returns milliseconds since 1970; null for any other text
 */
export function parsePostIdTime(text: string): number | null {
  const [, high, low] = POST_ID.exec(text) ?? [];
  return high === undefined || low === undefined ? null : Math.min(parseInt(high + low, 16), MAX_MS);
}
