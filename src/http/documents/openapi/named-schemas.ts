import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import type { JsonSchema } from '#tool/json-schema.ts';
import { ref } from './components.ts';

export class NamedSchemas {
  readonly byName: Record<string, SchemaObject> = {};

  /** Replaces the schema, or each schema in it, by a reference if it has a title. */
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
