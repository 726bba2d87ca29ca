import pg from 'pg';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { TEXT } from '../writers.ts';
import { IN_SCHEMA } from './databases.ts';
import { pipelined } from './pipelined.ts';
import { namesOf, publication, type Scribe } from './publication.ts';

async function throughStore(url: string): Promise<Scribe> {
  const store = await openPostgresStore({ url, report: () => undefined });
  return { write: (n) => store.write(publication(namesOf(n))), close: () => store.close() };
}

const INSERT = "insert into entry (id, kind, created_at, prefix, body) values ($1, 'post', $2, 'RESULT', $3)";

/** The least that a durable row costs: nothing asked before, nobody told. */
async function inserting(url: string): Promise<Scribe> {
  const client = new pg.Client({ connectionString: url, ...IN_SCHEMA });
  await client.connect();
  const write = (n: number): Promise<unknown> => {
    const { id } = namesOf(n);
    const createdAt = new Date(Date.now()).toISOString().replace('Z', '000Z');
    const body = { id, message: TEXT, prefix: 'RESULT', parentId: null, rootId: id, answers: [], createdAt };
    return client.query({ name: 'insert', text: INSERT, values: [id, createdAt, body] });
  };
  return { write, close: () => client.end() };
}

/** By way; each takes the address, and a publication that nobody else makes. */
export const SCRIBES = { store: throughStore, pipelined, inserting } satisfies Record<
  string,
  (url: string, first: number) => Promise<Scribe>
>;
