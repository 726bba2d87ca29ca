import type { Service } from './service.ts';

/**
 * The absolute URL of a path of this service.
 * @param path begins with a slash
 * @returns null if the service has no base URL, as over stdio without an HTTP server
 */
export function absoluteUrl<Base extends string | null>({ baseUrl }: Service<Base>, path: string): Base {
  return (baseUrl === null ? null : `${baseUrl}${path}`) as Base;
}

/** The absolute URL of the page of a post. @returns null if the service has no base URL */
export function postUrl<Base extends string | null>(service: Service<Base>, id: string): Base {
  return absoluteUrl(service, `/posts/${id}`);
}
