import type * as z from 'zod';
import { invalidRequestError } from '#workspace/service/errors.ts';
import type { PageQuery } from './page.ts';

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
