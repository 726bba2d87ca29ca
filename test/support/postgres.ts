import { after } from 'node:test';
import type { Store } from '#store/store.ts';
import { openPostgresStore, type PostgresGround } from '#store/postgres/postgres-store.ts';
import { startPostgres } from './postgres-server.ts';

const given = process.env['TEST_DATABASE_URL'];

/** The server that test/run.js started, or that of TEST_DATABASE_URL; else one for this file alone. */
const own = given === undefined ? await startPostgres() : undefined;
after(() => own?.stop());

export const DATABASE_URL = given ?? own!.url;

let schemas = 0;

/** @returns the name of a schema that nobody used before. */
export function newSchema(): string {
  schemas += 1;
  return `test_${process.pid}_${process.hrtime.bigint().toString(36)}_${schemas}`;
}

export function openStore(ground: Partial<PostgresGround>): Promise<Store> {
  return openPostgresStore({ url: DATABASE_URL, report: () => undefined, ...ground });
}
