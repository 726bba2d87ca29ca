import type { Service } from './service.ts';

/**
 * The one place where links begin.
 * @param path with a slash at its beginning
 * @returns null where the service is reached over stdio alone, so that no link leads nowhere
 */
export function addressOf<Base extends string | null>({ baseUrl }: Service<Base>, path: string): Base {
  return (baseUrl === null ? null : `${baseUrl}${path}`) as Base;
}

/** @returns the address of a post's page */
export function postUrl<Base extends string | null>(service: Service<Base>, id: string): Base {
  return addressOf(service, `/posts/${id}`);
}
