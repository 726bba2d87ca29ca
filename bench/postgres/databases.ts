import pg from 'pg';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { CLOCK, fill } from '../seed.ts';

/** Connection options for statements that bypass the store: the schema of its tables. */
export const IN_SCHEMA = { options: '-c search_path=porchlight' };

async function execute(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

export function databaseUrl(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: name }).href;
}

/** Creates a database with `count` posts, which may be copied but not written to. @returns its name */
export async function createSeeded(server: string, count: number): Promise<string> {
  const name = `filled_${count}`;
  const url = databaseUrl(server, name);
  await execute(server, `create database ${name}`);
  const store = await openPostgresStore({ url, clock: CLOCK, report: () => undefined });
  await fill(store, count);
  await store.close();
  // Otherwise autovacuum would run during a measurement.
  await execute(url, 'vacuum analyze');
  return name;
}

/** Replaces a database by a copy of the template. @returns its URL */
export async function copyDatabase(server: string, template: string, name: string): Promise<string> {
  await execute(
    server,
    `drop database if exists ${name} with (force)`,
    `create database ${name} template ${template}`,
  );
  return databaseUrl(server, name);
}
