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
  const fields = Object.entries(inputSchemaOf(tool).properties).filter(([name]) => !parameters.includes(name));
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

/** RFC 8941 wants the key quoted; most clients send it bare. */
function idempotencyKeyOf(request: Request): string | undefined {
  return request.get('Idempotency-Key')?.replace(/^"(.*)"$/, '$1');
}

/** @returns what turns a request into the arguments of a tool. Path parameters win over fields of the same name. */
export function argumentsOf(tool: AnyTool, route: Route): (request: Request) => unknown {
  if (route.method === 'GET') {
    const query = fromQuery(tool, route);
    return (request) => ({ ...query(request), ...request.params });
  }
  return (request) => {
    const body = request.body as unknown;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    return { ...body, ...request.params, idempotencyKey: idempotencyKeyOf(request) };
  };
}
