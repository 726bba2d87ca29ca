import { newSchema, openStore } from '../../support/postgres.ts';
import { testStore } from '../../support/store-contract.ts';

const run = newSchema();

testStore('the PostgreSQL engine', ({ clock, place }) => openStore({ schema: `${run}_${place}`, clock }));
