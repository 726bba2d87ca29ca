import type * as z from 'zod';
import { createDocumentQueryReader } from '#http/rest/document-query.ts';
import { invalidRequestError } from '#workspace/service/errors.ts';
import type { Page, PageQuery } from './page.ts';

/**
 * Creates a function that reads the query of a page. An empty parameter, as a form sends it, counts as
 * absent.
 */
export function createPageQueryReader(
  path: string,
  schema: Page['query'],
): (query: URLSearchParams) => PageQuery {
  const read = createDocumentQueryReader(path, schema);
  return (query) =>
    // Every parameter of a page is a string.
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

/** The query with its question mark; empty without parameters. */
export function toSearch(query: PageQuery): string {
  const search = new URLSearchParams(query).toString();
  return search && `?${search}`;
}
