import { z } from 'zod';
import type { AnyTool } from './define-tool.ts';

/** As much of JSON Schema as our definitions come to. */
export interface JsonSchema {
  type?: string;
  format?: string;
  pattern?: string;
  description?: string;
  enum?: (string | null)[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  additionalProperties?: JsonSchema;
}

export interface ObjectSchema extends JsonSchema {
  type: 'object';
  properties: Record<string, JsonSchema>;
}

/**
 * Takes out what only costs: bounds that say "a number that JSON can carry", `additionalProperties: false`, which would
 * forbid us to add a field, and lists of types, which not every host understands.
 */
function withoutMeta(schema: z.core.JSONSchema.BaseSchema): JsonSchema {
  const {
    $schema: _,
    propertyNames: __,
    type,
    anyOf,
    additionalProperties,
    properties,
    items,
    ...rest
  } = schema;
  const types = Array.isArray(type) ? type.map((one) => ({ type: one as 'string' })) : undefined;
  const options = anyOf?.map(withoutMeta) ?? types;
  const choice = options?.find((option) => 'enum' in option && Array.isArray(option.enum)) as
    | JsonSchema
    | undefined;
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum;
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum;
  return {
    ...(typeof type === 'string' && { type }),
    ...(rest as JsonSchema),
    ...(choice?.enum !== undefined
      ? { enum: [...choice.enum, null] }
      : options !== undefined && { anyOf: options }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: withoutMeta(additionalProperties),
    }),
    ...(properties !== undefined && {
      properties: mapValues(properties as Record<string, typeof schema>, withoutMeta),
    }),
    ...(items !== undefined && { items: withoutMeta(items as typeof schema) }),
  };
}

function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  return withoutMeta(z.toJSONSchema(schema, { io })) as ObjectSchema;
}

export function inputSchemaOf(tool: AnyTool): ObjectSchema {
  return schemaOf(tool.input, 'input');
}

/** The answer in full, for OpenAPI. */
export function outputSchemaOf(tool: AnyTool): ObjectSchema {
  return schemaOf(tool.output, 'output');
}

/**
 * The answer as tools/list tells it. It holds for the same answers, but leaves out what a model sees in them: which
 * fields are always there, and the names in a table of numbers or of links.
 */
export function briefOutputSchemaOf(tool: AnyTool): ObjectSchema {
  return withBriefFields(outputSchemaOf(tool)) as ObjectSchema;
}

function toBriefSchema(schema: JsonSchema): JsonSchema {
  if (schema.items !== undefined) return { ...schema, items: withBriefFields(schema.items) };
  if (schema.anyOf !== undefined) return { ...schema, anyOf: schema.anyOf.map(toBriefSchema) };
  const [first, ...others] = Object.values(schema.properties ?? {});
  const isTable = first !== undefined && others.length > 2 && others.every(({ type }) => type === first.type);
  return isTable ? { type: 'object', additionalProperties: first } : withBriefFields(schema);
}

function withBriefFields(schema: JsonSchema): JsonSchema {
  if (schema.properties === undefined) return schema;
  const { required: _, ...rest } = schema;
  return { ...rest, properties: mapValues(schema.properties, toBriefSchema) };
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
