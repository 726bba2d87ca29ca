import { newDatabase, openStore } from '../support/postgres/postgres.ts';
import { testStore } from './store.ts';

/** By location. */
const databases = new Map<string, Promise<string>>();

testStore('the PostgreSQL engine', async ({ t, clock, location }) => {
  const database = databases.get(location) ?? newDatabase(t);
  databases.set(location, database);
  return openStore({ url: await database, clock });
});
