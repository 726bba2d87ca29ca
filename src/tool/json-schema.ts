import type { SchemaObject } from 'openapi3-ts/oas31';
import * as z from 'zod';
import type { AnyTool } from './define-tool.ts';

type Typed = 'enum' | 'default' | 'properties' | 'items' | 'anyOf' | 'additionalProperties';

/** The part of JSON Schema that definitions use. `title` names a record or result; tools/list omits it. */
export interface JsonSchema extends Omit<SchemaObject, Typed> {
  enum?: (string | null)[];
  default?: string | number | boolean;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  additionalProperties?: JsonSchema;
}

export type ObjectSchema = JsonSchema & { type: 'object'; properties: Record<string, JsonSchema> };

/**
 * Removes what a caller does not need: bounds at the limits of a safe integer, `additionalProperties: false`,
 * which would forbid new fields, and lists of types, which some hosts do not support in arguments.
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
  const types = Array.isArray(type) ? type.map((one) => ({ type: one })) : undefined;
  const options = anyOf?.map(withoutMeta) ?? types;
  const choice = options?.find(
    (option): option is JsonSchema => 'enum' in option && Array.isArray(option.enum),
  );
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

function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  return withoutMeta(z.toJSONSchema(schema, { io })) as ObjectSchema;
}

const inputSchemas = new WeakMap<z.ZodObject, ObjectSchema>();

/** Returns the arguments as every surface describes them. Created on first use: all schemas take 10 ms. */
export function inputSchema({ input }: Pick<AnyTool, 'input'>): ObjectSchema {
  const schema = inputSchemas.get(input) ?? toJsonSchema(input, 'input');
  inputSchemas.set(input, schema);
  return schema;
}

export function outputSchema({ output }: Pick<AnyTool, 'output'>): ObjectSchema {
  return toJsonSchema(output, 'output');
}

/** Returns the names and types of the top-level fields, for tools/list. Every output is valid against it. */
export function listedOutputSchema(tool: AnyTool): JsonSchema {
  if (tool.listsOutputFields !== true) return { type: 'object' };
  return { type: 'object', properties: mapValues(outputSchema(tool).properties, toShallow) };
}

function toShallow({ type = 'object', enum: options, anyOf }: JsonSchema): JsonSchema {
  if (options?.includes(null) === true) return { type: ['string', 'null'] };
  return { type: anyOf?.flatMap((one) => one.type ?? []) ?? type };
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
