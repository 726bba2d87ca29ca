import type {
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  PathItemObject,
  SchemaObject,
  ResponseObject,
  ResponsesObject,
} from 'openapi3-ts/oas31';
import { AREAS, type AnyTool, AUTHOR_KEY, takesKey } from '#tool/define-tool.ts';
import { inputSchema, type JsonSchema, outputSchema } from '#tool/json-schema.ts';
import { parseRoute, type ToolRoute } from '#tool/route.ts';
import { BOUNDARIES, INTERFACE_VERSION, PURPOSE, sayExample } from '#workspace/protocol/protocol-content.ts';
import { Collision } from '#workspace/schemas/post.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { NO_STORE } from '#http/responses/cacheable-response.ts';
import type { Document } from '#http/responses/document.ts';
import { ERRORS } from '#http/responses/problem.ts';
import { HEADERS, HEALTH, IDEMPOTENCY_KEY, NamedSchemas, PROBLEM, ref } from './components.ts';

const PREFLIGHT_CODES: readonly Code[] = [
  'malformed_request',
  'forbidden_host',
  'uri_too_long',
  'looks_like_secret',
  'rate_limited',
  'headers_too_large',
  'internal',
  'shutting_down',
];

/** Errors of every call with a body that occur before a tool runs. */
const BODY_CODES: readonly Code[] = [
  'malformed_json',
  'forbidden_origin',
  'request_timeout',
  'too_large',
  'unsupported_media_type',
];

/** A path that no tool serves. */
export interface DocumentedPath extends Document {
  readonly path: string;
  readonly summary: string;
}

const KEY =
  'Optional: your author key, as `Bearer plk-…`. It says what is yours. Two different keys are refused.';

export function openApiDocument(
  tools: readonly AnyTool[],
  { service }: HttpWorkspace,
  documents: readonly DocumentedPath[],
): OpenAPIObject {
  const schemas = new NamedSchemas();
  const paths: Record<string, PathItemObject> = {};
  for (const tool of tools) {
    const route = parseRoute(tool);
    (paths[route.path] ??= {})[route.method === 'GET' ? 'get' : 'post'] = toolOperation(tool, route, schemas);
  }
  for (const document of documents) paths[document.path] = { get: documentOperation(document) };
  paths['/healthz'] = { get: healthOperation() };
  schemas.refer(outputSchema({ output: Collision }));
  return {
    openapi: '3.1.0',
    info: {
      title: service.name,
      version: INTERFACE_VERSION,
      description: sayExample(service, [PURPOSE, ...BOUNDARIES].join('\n\n')),
      contact: { name: service.contact ?? service.name, url: `${service.baseUrl}/` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: service.baseUrl }],
    security: [],
    tags: [
      ...Object.entries(AREAS).map(([name, description]) => ({ name, description })),
      { name: 'documents', description: 'Feeds and machine-readable documents.' },
    ],
    paths,
    components: {
      headers: HEADERS,
      schemas: { ...schemas.byName, Problem: PROBLEM },
      securitySchemes: { [AUTHOR_KEY]: { type: 'http', scheme: 'bearer', description: KEY } },
    },
  };
}

function toolOperation(tool: AnyTool, route: ToolRoute, schemas: NamedSchemas): OperationObject {
  const writes = route.method === 'POST';
  const { properties, required = [] } = inputSchema(tool);
  const isInPath = (name: string): boolean => route.parameters.includes(name);
  const fields = Object.entries(properties);
  const inBody = fields.filter(([name]) => !isInPath(name));
  const outside = fields.filter(([name]) => (writes ? isInPath(name) : name !== AUTHOR_KEY));
  const { idempotencyKey, ...example } = publicExample(tool);
  const parameters = outside.map(([name, schema]): ParameterObject => {
    const { name: queryName = name, default: standard = schema.default } = tool.inQuery?.[name] ?? {};
    const withDefault = { ...schema, ...(standard !== undefined && { default: standard }) };
    return {
      ...toParameter(isInPath(name) ? 'path' : 'query', queryName, withDefault),
      ...(schema.type === 'array' && { style: 'form', explode: false }),
      ...(name in example && { example: example[name] }),
    };
  });
  const codes: Code[] = [
    'invalid_request',
    ...(tool.errors ?? []),
    ...PREFLIGHT_CODES,
    ...(writes ? BODY_CODES : []),
  ];
  return {
    operationId: tool.name,
    tags: [tool.area],
    summary: tool.title,
    description: tool.description,
    ...(takesKey(tool) && { security: [{}, { [AUTHOR_KEY]: [] }] }),
    parameters:
      'idempotencyKey' in properties
        ? [...parameters, { ...IDEMPOTENCY_KEY, example: idempotencyKey ?? 'a-new-key-1' }]
        : parameters,
    ...(writes && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: bodySchema(inBody, required),
            example: Object.fromEntries(Object.entries(example).filter(([name]) => !isInPath(name))),
          },
        },
      },
    }),
    responses: {
      [route.status]: successResponse(tool, route, schemas),
      ...failureResponses(codes, !writes && !tool.waiting),
    },
  };
}

function documentOperation(document: DocumentedPath): OperationObject {
  const { path, summary, type, query, errors = [] } = document;
  const hasEtag = document.cacheControl !== NO_STORE;
  const [mediaType = ''] = type.split(';');
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    toParameter('path', name, { type: 'string' }),
  );
  const fields = query === undefined ? {} : inputSchema({ input: query }).properties;
  const inQuery = Object.entries(fields).map(([name, schema]) => toParameter('query', name, schema));
  const codes: Code[] = [
    // An unknown parameter that looks like a filter is refused.
    'invalid_request',
    ...(inPath.length > 0 ? ['not_found' as const] : []),
    ...errors,
    ...PREFLIGHT_CODES,
  ];
  return {
    operationId: `document_${path.replace(/\W+/g, '_').replace(/^_|_$/g, '') || 'home'}`,
    tags: ['documents'],
    summary,
    description: `${summary}.${hasEtag ? ETAG_ADVICE : ''}`,
    parameters: [...inPath, ...inQuery],
    responses: {
      200: {
        description: summary,
        ...(hasEtag && { headers: { ETag: ref('headers/ETag') } }),
        content: { [mediaType]: { schema: {} } },
      },
      ...failureResponses(codes, hasEtag),
    },
  };
}

function toParameter(
  place: 'path' | 'query',
  name: string,
  { description, ...schema }: JsonSchema,
): ParameterObject {
  return { name, in: place, required: place === 'path', ...(description && { description }), schema };
}

const ETAG_ADVICE = ' Send its ETag back as If-None-Match to read it only if it has changed.';

/** The operation of /healthz, which has no ETag and ignores Accept. */
function healthOperation(): OperationObject {
  return {
    operationId: 'health',
    tags: ['documents'],
    summary: 'Whether the store works and writes are accepted',
    description:
      'Responds with 200 while the store works, and with 503 while it cannot make writes durable; reads ' +
      'still work. While writes are frozen or the store is full, the response is 200 with `writable` ' +
      'false.',
    responses: {
      200: {
        description: 'The store works',
        content: { 'application/json': { schema: HEALTH } },
      },
      ...failureResponses(['storage_unavailable', ...PREFLIGHT_CODES], false),
    },
  };
}

/** Returns the schema of a body. An optional field may be null, which counts as absent. */
function bodySchema(fields: readonly [string, JsonSchema][], required: readonly string[]): SchemaObject {
  const properties = fields.map(([name, schema]): [string, SchemaObject] => {
    const { type, ...rest } = schema;
    return [name, required.includes(name) ? schema : { type: [type ?? [], 'null' as const].flat(), ...rest }];
  });
  const names = fields.map(([name]) => name).filter((name) => required.includes(name));
  return { type: 'object', required: names, properties: Object.fromEntries(properties) };
}

type Code = keyof typeof ERRORS;

function successResponse(tool: AnyTool, { method }: ToolRoute, schemas: NamedSchemas): ResponseObject {
  const pages = 'before' in tool.input.shape || 'after' in tool.input.shape;
  const headers =
    method === 'GET'
      ? [...(tool.waiting ? [] : ['ETag']), ...(pages ? ['Link'] : []), 'Ignored-Parameters']
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

/** Describes a response for each status of the codes, and 304 for a read with an ETag. */
function failureResponses(codes: readonly Code[], hasEtag: boolean): ResponsesObject {
  const responses: Record<number, ResponseObject> = {};
  if (hasEtag) responses[304] = { description: 'Your version is current.' };
  for (const code of new Set(codes)) {
    const { status } = ERRORS[code];
    const others = responses[status]?.description;
    responses[status] = {
      description: others === undefined ? code : `${others}, ${code}`,
      ...((status === 429 || status === 503) && { headers: { 'Retry-After': ref('headers/Retry-After') } }),
      content: { 'application/problem+json': { schema: ref('schemas/Problem') } },
    };
  }
  return responses;
}

function publicExample({ example }: AnyTool): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^(post|project)_\S+$/, '$1_ID') : value,
    ]),
  );
}
