import { newSchema, openStore } from '../../support/postgres.ts';
import { testStore } from '../../support/store-contract.ts';

testStore('the PostgreSQL engine', ({ clock, place }) => openStore({ schema: newSchema(place), clock }));
