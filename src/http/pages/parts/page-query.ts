import type * as z from 'zod';
import { createDocumentQueryReader } from '#http/rest/document-query.ts';
import { invalidRequestError } from '#workspace/errors.ts';
import type { Page, PageQuery } from './page.ts';

/** @returns a function that reads the query of a page; an empty parameter counts as absent, as a form sends it */
export function createPageQueryReader(
  page: Pick<Page, 'path' | 'query'>,
): (query: URLSearchParams) => PageQuery {
  const read = createDocumentQueryReader(page);
  return (query) =>
    // Every parameter of a page is a text.
    read(new URLSearchParams([...query].filter(([, value]) => value !== ''))) as PageQuery;
}

/** @throws WorkspaceError invalid_request */
export function parseQuery<Schema extends z.ZodObject>(schema: Schema, query: object): z.output<Schema> {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  throw invalidRequestError(
    parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
  );
}

/** @returns the query with its question mark; empty if nothing is asked for */
export function searchOf(query: PageQuery): string {
  const search = new URLSearchParams(query).toString();
  return search && `?${search}`;
}
