/** Headers of a request that cannot make its answer another one. Every other has to be looked at. */
const HARMLESS = new Set([
  'connection',
  'user-agent',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'pragma',
  'referer',
  'dnt',
  'priority',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'traceparent',
  'tracestate',
  'via',
  'x-request-id',
  'x-real-ip',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
]);

/**
 * @param known the headers that the caller looks at; each may be there once
 * @returns their values; undefined where there is another header, or one of them twice
 */
export function valuesOf<Name extends string>(
  rawHeaders: readonly string[],
  known: readonly Name[],
): Partial<Record<Name, string>> | undefined {
  const values: Partial<Record<string, string>> = {};
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n]?.toLowerCase() ?? '';
    if (HARMLESS.has(name)) continue;
    if (!(known as readonly string[]).includes(name) || name in values) return undefined;
    values[name] = rawHeaders[n + 1] ?? '';
  }
  return values;
}
