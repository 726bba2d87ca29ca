import { AREAS, type AnyTool } from '#tool/define-tool.ts';
import { inputSchemaOf, outputSchemaOf, type JsonSchema } from '#tool/json-schema.ts';
import { routeOf, type Route } from '#tool/route.ts';
import { BOUNDARIES, INTERFACE_VERSION, PURPOSE } from '#workspace/protocol-content.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { ERRORS } from '#http/error-table.ts';

type Code = keyof typeof ERRORS;

/** Refusals of any call, and of any call with a body, before a tool runs. */
const PREFLIGHT_CODES: readonly Code[] = [
  'malformed_json',
  'forbidden_host',
  'uri_too_long',
  'rate_limited',
  'headers_too_large',
  'internal',
  'shutting_down',
];
const BODY_CODES: readonly Code[] = [
  'forbidden_origin',
  'request_timeout',
  'too_large',
  'unsupported_media_type',
];

const ref = (name: string): object => ({ $ref: `#/components/${name}` });

const header = (description: string, type = 'string'): object => ({ description, schema: { type } });

const HEADERS = {
  ETag: header('A strong validator of the body; send it back as If-None-Match.'),
  Link: header('The next page, rel="next".'),
  Location: header('Where what was published is read.'),
  'Idempotency-Replayed': header('`true` where an earlier call published it.'),
  'RateLimit-Policy': header('The limits that this write counts against; not sent with a replay.'),
  RateLimit: header('What is left of them, and the seconds until the next free place.'),
  'Retry-After': header('Seconds to wait before the next try.', 'integer'),
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Makes a retry safe: the same key with the same body publishes once.',
  schema: { type: 'string', pattern: '^"?[A-Za-z0-9._:-]{8,128}"?$' },
};

const PROBLEM = {
  type: 'object',
  description: 'RFC 9457, with a stable `code`.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'One sentence on how to mend the call.' },
    code: { type: 'string', enum: Object.keys(ERRORS) },
    instance: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
    limit: { type: 'string' },
    retryAfterSeconds: { type: 'integer' },
  },
};

const HEALTH = {
  type: 'object',
  required: ['status', 'writable', 'frozen', 'version'],
  properties: {
    status: { const: 'ok' },
    writable: { type: 'boolean', description: 'Whether writes are accepted.' },
    frozen: {
      type: ['boolean', 'null'],
      description: 'Whether the operator has frozen writing; null: unknown.',
    },
    code: { const: 'storage_full', description: 'Only while the store has reached its maximum size.' },
    version: { type: 'string', description: 'The version of the program.' },
  },
};

/** What is to be read besides the tools. */
interface DocumentedPath {
  readonly path: string;
  readonly summary: string;
  readonly type: string;
}

/** The document at /openapi.json, made of the same definitions that serve the calls. */
export function openApiOf(
  tools: readonly AnyTool[],
  { service }: HttpWorkspace,
  documents: readonly DocumentedPath[],
): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const tool of tools) {
    const route = routeOf(tool);
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(tool, route);
  }
  for (const document of documents) paths[document.path] = { get: documentOperationOf(document) };
  paths['/healthz'] = { get: healthOperation() };
  return {
    openapi: '3.1.0',
    info: {
      title: service.name,
      version: INTERFACE_VERSION,
      description: [PURPOSE, ...BOUNDARIES].join('\n\n'),
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
    components: { headers: HEADERS, schemas: { Problem: PROBLEM } },
  };
}

function operationOf(tool: AnyTool, route: Route): object {
  const writes = route.method === 'POST';
  const { properties, required = [] } = inputSchemaOf(tool);
  const fields = Object.entries(properties).filter(([name]) => name !== 'idempotencyKey');
  const outside = fields.filter(([name]) => !writes || route.parameters.includes(name));
  const parameters = outside.map(([name, { description, ...schema }]) => {
    const inPath = route.parameters.includes(name);
    return {
      name,
      in: inPath ? 'path' : 'query',
      required: inPath,
      ...(description && { description }),
      schema,
    };
  });
  const codes: Code[] = [
    'invalid_request',
    ...tool.errors,
    ...PREFLIGHT_CODES,
    ...(writes ? BODY_CODES : []),
  ];
  return {
    operationId: tool.name,
    tags: [tool.area],
    summary: tool.title,
    description: tool.description,
    parameters: writes ? [...parameters, IDEMPOTENCY_KEY] : parameters,
    ...(writes && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: bodyOf(
              fields.filter(([name]) => !route.parameters.includes(name)),
              required,
            ),
          },
        },
      },
    }),
    responses: { [route.status]: successOf(tool, route), ...failuresFor(codes, writes) },
  };
}

function documentOperationOf({ path, summary, type }: DocumentedPath): object {
  const [mediaType = ''] = type.split(';');
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    operationId: `document_${path.replace(/\W+/g, '_').replace(/^_|_$/g, '') || 'home'}`,
    tags: ['documents'],
    summary,
    description: `${summary}. Send its ETag back as If-None-Match to read it only where it changed.`,
    parameters,
    responses: {
      200: {
        description: summary,
        headers: { ETag: ref('headers/ETag') },
        content: { [mediaType]: { schema: {} } },
      },
      ...failuresFor([...(parameters.length > 0 ? ['not_found' as const] : []), ...PREFLIGHT_CODES], false),
    },
  };
}

/** It has no ETag and ignores Accept. */
function healthOperation(): object {
  const codes = PREFLIGHT_CODES.filter((code) => code !== 'not_acceptable');
  return {
    operationId: 'health',
    tags: ['documents'],
    summary: 'Whether the store works and writes are accepted',
    description:
      'Answers 200 while the store works and 503 while writes cannot be made durable; reads go on. While writing is ' +
      'frozen or the store is full it is 200 with `writable` false.',
    responses: {
      200: {
        description: 'The store works',
        content: { 'application/json': { schema: HEALTH } },
      },
      ...failuresFor(['storage_unavailable', ...codes], true),
    },
  };
}

/** In a body a null means that the field is left out. */
function bodyOf(fields: [string, JsonSchema][], required: readonly string[]): object {
  const properties = fields.map(([name, schema]) => {
    const { type, ...rest } = schema;
    return [name, required.includes(name) ? schema : { type: [type, 'null'], ...rest }];
  });
  const names = fields.map(([name]) => name).filter((name) => required.includes(name));
  return { type: 'object', required: names, properties: Object.fromEntries(properties) as object };
}

function successOf(tool: AnyTool, { method }: Route): object {
  const pages = 'before' in tool.input.shape || 'after' in tool.input.shape;
  const headers =
    method === 'GET'
      ? ['ETag', ...(pages ? ['Link'] : [])]
      : ['RateLimit-Policy', 'RateLimit', 'Idempotency-Replayed', ...(tool.location ? ['Location'] : [])];
  return {
    description: tool.title,
    headers: Object.fromEntries(headers.map((name) => [name, ref(`headers/${name}`)])),
    content: { 'application/json': { schema: outputSchemaOf(tool) } },
  };
}

function failuresFor(codes: readonly Code[], writes: boolean): Record<string, object> {
  const byStatus = new Map<number, Code[]>();
  for (const code of new Set(codes))
    byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code]);
  const failures = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, names]) => [
      status,
      {
        description: names.join(', '),
        ...((status === 429 || status === 503) && { headers: { 'Retry-After': ref('headers/Retry-After') } }),
        content: { 'application/problem+json': { schema: ref('schemas/Problem') } },
      },
    ]);
  return {
    ...(!writes && { 304: { description: 'What you have still holds.' } }),
    ...(Object.fromEntries(failures) as object),
  };
}
