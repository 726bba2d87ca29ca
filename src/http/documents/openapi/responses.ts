import type { ResponseObject, ResponsesObject } from 'openapi3-ts/oas31';
import { ERRORS } from '#http/responses/error-table.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { outputSchema } from '#tool/json-schema.ts';
import type { Route } from '#tool/route.ts';
import { ref } from './components.ts';
import type { NamedSchemas } from './named-schemas.ts';

export type Code = keyof typeof ERRORS;

export function successResponse(tool: AnyTool, { method }: Route, schemas: NamedSchemas): ResponseObject {
  const pages = 'before' in tool.input.shape || 'after' in tool.input.shape;
  const headers =
    method === 'GET'
      ? [...(tool.waiting ? [] : ['ETag']), ...(pages ? ['Link'] : [])]
      : [
          ...(tool.limitScope ? ['RateLimit-Policy', 'RateLimit', 'Idempotency-Replayed'] : []),
          ...(tool.location ? ['Location'] : []),
        ];
  return {
    description: tool.title,
    headers: Object.fromEntries(headers.map((name) => [name, ref(`headers/${name}`)])),
    content: { 'application/json': { schema: schemas.refer(outputSchema(tool)) } },
  };
}

/** A response for each status of the codes, and 304 for a read with an ETag. */
export function failureResponses(codes: readonly Code[], hasEtag: boolean): ResponsesObject {
  const byStatus = new Map<number, Code[]>();
  for (const code of new Set(codes))
    byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code]);
  const failures = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, names]): [number, ResponseObject] => [
      status,
      {
        description: names.join(', '),
        ...((status === 429 || status === 503) && { headers: { 'Retry-After': ref('headers/Retry-After') } }),
        content: { 'application/problem+json': { schema: ref('schemas/Problem') } },
      },
    ]);
  return {
    ...(hasEtag && { 304: { description: 'Your version is current.' } }),
    ...Object.fromEntries(failures),
  };
}
