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

/** The absolute URL of the page that shows a record of any kind. */
export function recordUrl<Base extends string | null>(service: Service<Base>, id: string): Base {
  if (id.startsWith('post_')) return postUrl(service, id);
  if (id.startsWith('project_')) return absoluteUrl(service, `/projects/${id}`);
  // A note is shown with its project, whose id is not part of it.
  return absoluteUrl(service, id.startsWith('guest_') ? `/guestbook#${id}` : '/projects');
}
