import * as z from 'zod';

/** Registers each schema's key as its `title`, the name of its component in OpenAPI. */
export function nameSchemas(schemas: Readonly<Record<string, z.ZodObject>>): void {
  for (const [title, schema] of Object.entries(schemas)) schema.register(z.globalRegistry, { title });
}
