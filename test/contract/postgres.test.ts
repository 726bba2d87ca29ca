import { newSchema, openStore } from '../support/postgres/postgres.ts';
import { testStore } from './store.ts';

testStore('the PostgreSQL engine', ({ clock, location }) =>
  openStore({ schema: newSchema(location), clock }),
);
