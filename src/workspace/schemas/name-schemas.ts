import * as z from 'zod';

/** Gives each schema its key as `title`, the name under which OpenAPI has it as a component. */
export function nameSchemas(schemas: Readonly<Record<string, z.ZodObject>>): void {
  for (const [title, schema] of Object.entries(schemas)) schema.register(z.globalRegistry, { title });
}
