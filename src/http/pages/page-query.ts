import type * as z from 'zod';
import { duplicateParameterError } from '#http/rest/tool-arguments.ts';
import { invalidRequestError } from '#workspace/errors.ts';
import type { PageQuery } from './page.ts';

const NO_PARAMETERS: PageQuery = {};

/**
 * @param schema of the parameters that the page reads, in the order of which the result has them
 * @returns a function that reads them; an empty one counts as absent, as a form sends it, and any other is ignored
 */
export function createPageQueryReader(
  schema: z.ZodObject | undefined,
): (query: URLSearchParams) => PageQuery {
  if (schema === undefined) return () => NO_PARAMETERS;
  const names = Object.keys(schema.shape);
  return (query) => {
    const sent = names.flatMap((name) => {
      const values = query.getAll(name);
      if (values.length > 1) throw duplicateParameterError(name);
      return values[0] === undefined || values[0] === '' ? [] : [[name, values[0]] as const];
    });
    if (sent.length === 0) return NO_PARAMETERS;
    // Every parameter of a page is a text.
    return parseQuery(schema, Object.fromEntries(sent)) as PageQuery;
  };
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
