import type { Request } from 'express';
import type { AnyTool } from '#tool/define.ts';
import { inputSchemaOf } from '#tool/json-schema.ts';
import type { Route } from '#tool/route.ts';
import { WorkspaceError } from '#workspace/errors.ts';

const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/;

/** All behind the first question mark; another one is a character like any. */
export function queryOf({ url }: Request): URLSearchParams {
  const [, ...parts] = url.split('?');
  return new URLSearchParams(parts.join('?'));
}

/** A query string is text; where the schema wants a number, digits become one. */
function fromQuery(tool: AnyTool, { parameters }: Route): (request: Request) => Record<string, unknown> {
  const fields = Object.entries(inputSchemaOf(tool).properties).filter(
    ([name]) => !parameters.includes(name),
  );
  return (request) => {
    const query = queryOf(request);
    const given = fields.flatMap(([name, { type }]) => {
      const [value, second] = query.getAll(name);
      if (value === undefined) return [];
      if (second !== undefined) throw twice(name);
      return [[name, type === 'integer' && WHOLE_NUMBER.test(value) ? Number(value) : value]];
    });
    return Object.fromEntries(given) as Record<string, unknown>;
  };
}

function twice(path: string): WorkspaceError {
  const errors = [{ path, message: 'is given more than once: send it once' }];
  return new WorkspaceError('invalid_request', `${path} is given more than once: send it once.`, { errors });
}

/**
 * The arguments of a write: what is no object is judged as it is. Path parameters win over fields of the same name.
 * @param key the header Idempotency-Key: RFC 8941 wants it quoted, most clients send it bare
 */
export function withKey(body: unknown, parameters: object, key: string | undefined): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return { ...body, ...parameters, idempotencyKey: key?.replace(/^"(.*)"$/, '$1') };
}

/** @returns what turns a request into the arguments of a tool. */
export function argumentsOf(tool: AnyTool, route: Route): (request: Request) => unknown {
  if (route.method === 'POST')
    return (request) => withKey(request.body, request.params, request.get('Idempotency-Key'));
  const query = fromQuery(tool, route);
  return (request) => ({ ...query(request), ...request.params });
}
