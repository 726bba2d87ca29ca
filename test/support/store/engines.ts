import { DATABASE_URL, newSchema } from '../postgres/postgres.ts';
import type { TestWorkspaceOptions } from '../context.ts';
import { IS_THOROUGH } from '../thorough.ts';

type Place = () => Partial<TestWorkspaceOptions>;

/** Options of `openTestWorkspace` for each engine; each call returns an unused location. */
export const ALL_ENGINES = {
  'the folder engine': () => ({}),
  'the PostgreSQL engine': () => ({ database: { url: DATABASE_URL, schema: newSchema() } }),
} satisfies Record<string, Place>;

/** Those that a file runs on: `npm test` runs the contract and the parity of surfaces on PostgreSQL. */
export const ENGINES: Readonly<Record<string, Place>> = IS_THOROUGH
  ? ALL_ENGINES
  : { 'the folder engine': ALL_ENGINES['the folder engine'] };
