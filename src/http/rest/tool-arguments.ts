import type { AnyTool } from '#tool/define-tool.ts';
import { inputSchemaOf } from '#tool/json-schema.ts';
import type { Route } from '#tool/route.ts';
import { WorkspaceError } from '#workspace/errors.ts';

type Arguments = Record<string, unknown>;

const NO_QUERY = new URLSearchParams();

const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/;

/** The query begins behind the first question mark; a later one is part of it (RFC 3986 section 3.4). */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return start < 0 ? NO_QUERY : new URLSearchParams(url.slice(start + 1));
}

/** @returns a function that reads arguments from a query. Digits become a number where the schema says so. */
export function createQueryReader(
  tool: AnyTool,
  { parameters }: Route,
): (query: URLSearchParams) => Arguments {
  const fields = Object.entries(inputSchemaOf(tool).properties).filter(
    ([name]) => !parameters.includes(name),
  );
  return (query) => {
    const args: Arguments = {};
    for (const [name, { type }] of fields) {
      const [value, second] = query.getAll(name);
      if (second !== undefined) throw duplicateParameterError(name);
      if (value !== undefined) {
        args[name] = type === 'integer' && WHOLE_NUMBER.test(value) ? Number(value) : value;
      }
    }
    return args;
  };
}

function duplicateParameterError(path: string): WorkspaceError {
  const errors = [{ path, message: 'is given more than once: send it once' }];
  return new WorkspaceError('invalid_request', `${path} is given more than once: send it once.`, { errors });
}

/**
 * The arguments of a write: the body, and the path parameters, which have precedence. The idempotency key comes from the
 * header only; one in the body is ignored. A body that is not an object is returned unchanged, and the tool refuses it.
 * @param key the header Idempotency-Key: a quoted string of RFC 8941, or unquoted as most clients send it
 */
export function withIdempotencyKey(body: unknown, parameters: object, key: string | undefined): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return { ...body, ...parameters, idempotencyKey: key?.replace(/^"(.*)"$/, '$1') };
}
