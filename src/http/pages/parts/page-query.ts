import type { PageQuery } from './page.ts';

/** The query with its question mark; empty without parameters. */
export function toSearch(query: PageQuery): string {
  const search = new URLSearchParams(query).toString();
  return search && `?${search}`;
}
