import type { TestContext } from 'node:test';
import { temporaryFolder } from './folder.ts';
import { newDatabase } from './postgres/postgres.ts';

/** Settings with a new store of each engine. */
export const PLACES: Readonly<Record<string, (t: TestContext) => Promise<Record<string, string>>>> = {
  'a folder': async (t) => ({ DATA_DIR: await temporaryFolder(t) }),
  'a database': async (t) => ({ DATABASE_URL: await newDatabase(t) }),
};
