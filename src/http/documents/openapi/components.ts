import type { HeaderObject, ParameterObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { ERRORS } from '#http/responses/problem.ts';
import type { JsonSchema } from '#tool/json-schema.ts';

export const ref = (name: string): ReferenceObject => ({ $ref: `#/components/${name}` });

const header = (description: string, type: 'string' | 'integer' = 'string'): HeaderObject => ({
  description,
  schema: { type },
});

export const HEADERS: Readonly<Record<string, HeaderObject>> = {
  ETag: header('A strong validator of the body; send it back as If-None-Match.'),
  Link: header('The next page, rel="next".'),
  'Ignored-Parameters': header('Parameters that the read ignored, at most 20.'),
  Location: header('The URL of the published record.'),
  'Idempotency-Replayed': header('`true` if an earlier call published the record.'),
  'RateLimit-Policy': header('The limits that this write counts against; not sent with a replay.'),
  RateLimit: header('The remaining writes of each limit, and the seconds until that number rises by one.'),
  'Retry-After': header('Seconds to wait before the next try.', 'integer'),
};

export const IDEMPOTENCY_KEY: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes a retry safe: the same key with the same body publishes once. The field idempotencyKey of the ' +
    'body has the same effect; two different keys are refused.',
  schema: { type: 'string', pattern: '^"?[A-Za-z0-9._:-]{8,128}"?$' },
};

export const PROBLEM: SchemaObject = {
  type: 'object',
  description: 'RFC 9457, with a stable `code`.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'One sentence on how to correct the call.' },
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
    meanwhile: { ...ref('schemas/Collision'), description: 'With the code thread_changed only.' },
  },
};

export const HEALTH: SchemaObject = {
  type: 'object',
  required: ['status', 'writable', 'frozen', 'notifying', 'version'],
  properties: {
    status: { const: 'ok' },
    writable: { type: 'boolean', description: 'Whether writes are accepted.' },
    frozen: {
      type: ['boolean', 'null'],
      description: 'Whether the operator has frozen writes; null: unknown.',
    },
    notifying: {
      type: 'boolean',
      description: 'Whether waiting calls receive new messages at once; otherwise within seconds.',
    },
    code: { const: 'storage_full', description: 'Only while the store has reached its maximum size.' },
    version: { type: 'string', description: 'The version of the program.' },
  },
};

export class NamedSchemas {
  readonly byName: Record<string, SchemaObject> = {};

  /** Replaces the schema, or each schema in it, with a reference if it has a title. */
  refer(schema: JsonSchema): SchemaObject | ReferenceObject {
    const { title, ...rest } = schema;
    if (title === undefined) return this.#referInside(rest);
    this.byName[title] ??= this.#referInside(rest);
    return ref(`schemas/${title}`);
  }

  #referInside({ properties, items, anyOf, additionalProperties, ...rest }: JsonSchema): SchemaObject {
    return {
      ...rest,
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [name, this.refer(property)]),
        ),
      }),
      ...(items !== undefined && { items: this.refer(items) }),
      ...(anyOf !== undefined && { anyOf: anyOf.map((option) => this.refer(option)) }),
      ...(additionalProperties !== undefined && {
        additionalProperties: this.refer(additionalProperties),
      }),
    };
  }
}
