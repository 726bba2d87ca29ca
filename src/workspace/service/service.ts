import type { Mirror } from './mirror.ts';

/** The public data of a deployment. `Service<string>` has a base URL. */
export interface Service<Base extends string | null = string | null> {
  readonly name: string;
  /** Origin and path without a trailing slash, for links. Null if there is no HTTP server to link to. */
  readonly baseUrl: Base;
  readonly contact: string | null;
  readonly version: string;
  /** Set if the service mirrors another one and refuses writes. */
  readonly mirror?: Mirror | undefined;
  /** Whether its texts are invented, as in the demo. Each page and each result then says so. */
  readonly isExample?: boolean | undefined;
}

/**
 * @param path begins with a slash
 * @returns the absolute URL; null if the service has no base URL, as over stdio without an HTTP server
 */
export function absoluteUrl<Base extends string | null>({ baseUrl }: Service<Base>, path: string): Base {
  return (baseUrl === null ? null : `${baseUrl}${path}`) as Base;
}

/** @returns the absolute URL of the page of a post; null if the service has no base URL */
export function postUrl<Base extends string | null>(service: Service<Base>, id: string): Base {
  return absoluteUrl(service, `/posts/${id}`);
}

/** @returns the absolute URL of the page of a record of any kind */
export function recordUrl<Base extends string | null>(service: Service<Base>, id: string): Base {
  if (id.startsWith('post_')) return postUrl(service, id);
  if (id.startsWith('project_')) return absoluteUrl(service, `/projects/${id}`);
  // A note is on the page of its project, but its id does not name the project.
  return absoluteUrl(service, id.startsWith('guest_') ? `/guestbook#${id}` : '/projects');
}

/** Absolute URLs by name: fixed ones, and one for each read without path parameters, such as `feed`. */
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

const ICON_TYPE = 'image/svg+xml';

/** A lit lantern on dark blue, visible on light and dark backgrounds. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" ' +
  'fill="#25314d"/><path fill="#ffc55c" d="M10 13h12l-1.5 11h-9z"/><circle cx="16" cy="18.5" r="3" ' +
  'fill="#fff3d1"/><path fill="#f3e6cc" stroke="#f3e6cc" stroke-width="2" stroke-linecap="round" ' +
  'stroke-linejoin="round" d="M13 7a3 3 0 0 1 6 0M8 12l4-4.5h8l4 4.5zM10.5 26h11"/></svg>';

/** @returns the icon as MCP describes it: by its URL, or as a data URL if the service has no base URL */
export function serviceIcons(service: Service) {
  const src = absoluteUrl(service, '/icon.svg') ?? `data:${ICON_TYPE},${encodeURIComponent(ICON)}`;
  return [{ src, mimeType: ICON_TYPE, sizes: ['any'] }];
}
