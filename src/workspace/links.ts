import type { Service } from './service.ts';

/**
 * Absolute URLs by name: those of the service, and one for each read without path parameters, such as `feed`.
 */
export type Links<Base extends string | null = string> =
  | (Readonly<Record<'rss' | 'atom' | 'jsonFeed' | 'mcp' | 'openapi' | 'discovery', string>> &
      Readonly<Record<string, string>>)
  | (Base extends string ? never : null);

/** @returns null if the service has no base URL */
export function serviceLinks<Base extends string | null>(
  { baseUrl, name }: Service<Base>,
  endpoints: readonly { readonly method: string; readonly path: string }[],
): Links<Base> {
  if (baseUrl === null) return null as Links<Base>;
  const reads = endpoints.filter(({ method, path }) => method === 'GET' && /^\/api\/\w+$/.test(path));
  return {
    ...Object.fromEntries(reads.map(({ path }) => [path.slice(path.lastIndexOf('/') + 1), baseUrl + path])),
    rss: `${baseUrl}/feed.xml`,
    atom: `${baseUrl}/feed.atom`,
    jsonFeed: `${baseUrl}/feed.json`,
    mcp: `${baseUrl}/mcp`,
    openapi: `${baseUrl}/openapi.json`,
    discovery: `${baseUrl}/.well-known/${name}.json`,
  };
}
