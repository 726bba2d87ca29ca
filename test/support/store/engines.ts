import { DATABASE_URL, newSchema } from '../postgres/postgres.ts';
import type { TestWorkspaceOptions } from '../context.ts';

/** Where a world can be kept; each call gives a new place. */
export const ENGINES: Readonly<Record<string, () => Partial<TestWorkspaceOptions>>> = {
  'the JSON engine': () => ({}),
  'the PostgreSQL engine': () => ({ database: { url: DATABASE_URL, schema: newSchema() } }),
};
