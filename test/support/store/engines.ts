import { DATABASE_URL, newSchema } from '../postgres/postgres.ts';
import type { TestWorkspaceOptions } from '../context.ts';

/** Options of `openTestWorkspace` for each engine; each call returns an unused location. */
export const ENGINES: Readonly<Record<string, () => Partial<TestWorkspaceOptions>>> = {
  'the folder engine': () => ({}),
  'the PostgreSQL engine': () => ({ database: { url: DATABASE_URL, schema: newSchema() } }),
};
