import pg from 'pg';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { CLOCK, fill } from '../seed.ts';

/** For who sends statements past the store: it tells them where the store's tables are. */
export const IN_SCHEMA = { options: '-c search_path=porchlight' };

async function tell(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

function addressOf(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: name }).href;
}

/** Makes a database of so many posts, to be copied and not written to. @returns its name */
export async function filled(server: string, count: number): Promise<string> {
  const name = `filled_${count}`;
  const url = addressOf(server, name);
  await tell(server, `create database ${name}`);
  const store = await openPostgresStore({ url, clock: CLOCK, report: () => undefined });
  await fill(store, count);
  await store.close();
  // Otherwise the server would do so by itself, in the middle of a measurement.
  await tell(url, 'vacuum analyze');
  return name;
}

/** @returns the address of a database that was copied anew */
export async function copyOf(server: string, template: string, name: string): Promise<string> {
  await tell(
    server,
    `drop database if exists ${name} with (force)`,
    `create database ${name} template ${template}`,
  );
  return addressOf(server, name);
}
