import type { Service } from './service.ts';

/**
 * The absolute URL of a path of this service.
 * @param path begins with a slash
 * @returns null if the service has no base URL, as over stdio without an HTTP server
 */
export function addressOf<Base extends string | null>({ baseUrl }: Service<Base>, path: string): Base {
  return (baseUrl === null ? null : `${baseUrl}${path}`) as Base;
}

/** @returns the URL of the page of a post, null if the service has no base URL */
export function postUrl<Base extends string | null>(service: Service<Base>, id: string): Base {
  return addressOf(service, `/posts/${id}`);
}
