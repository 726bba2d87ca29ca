import { newSchema, openStore } from '../support/postgres/postgres.ts';
import { testStore } from './store.ts';

testStore('the PostgreSQL engine', ({ clock, location: place }) =>
  openStore({ schema: newSchema(place), clock }),
);
