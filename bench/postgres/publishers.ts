import pg from 'pg';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { resultPost } from '../result-post.ts';
import { IN_SCHEMA } from './databases.ts';
import { pipelined } from './pipelined.ts';
import { publicationNames, publication, type Publisher } from './publication.ts';
import { openWorded, openWordless } from './words.ts';

async function openStorePublisher(url: string): Promise<Publisher> {
  const store = await openPostgresStore({ url, report: () => undefined });
  return { publish: (n) => publication(store, publicationNames(n)), close: () => store.close() };
}

const INSERT =
  "insert into entry (id, kind, created_at, prefix, body, arrival) values ($1, 'post', $2, 'RESULT', $3, 0)";

/** The lower limit of a durable row: one insert, without queries and notifications. */
async function openInsertPublisher(url: string): Promise<Publisher> {
  const client = new pg.Client({ connectionString: url, ...IN_SCHEMA });
  await client.connect();
  const publish = (n: number): Promise<unknown> => {
    const { id } = publicationNames(n);
    const createdAt = new Date(Date.now()).toISOString().replace('Z', '000Z');
    return client.query({ name: 'insert', text: INSERT, values: [id, createdAt, resultPost(id, createdAt)] });
  };
  return { publish, close: () => client.end() };
}

/** Each takes the URL of a database, and the number of a publication that it may use. */
export const PUBLISHERS = {
  store: openStorePublisher,
  pipelined,
  inserting: openInsertPublisher,
  worded: openWorded,
  wordless: openWordless,
} satisfies Record<string, (url: string, first: number) => Promise<Publisher>>;
