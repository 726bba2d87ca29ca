import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import pg from 'pg';
import { hashContent } from '#store/engine/write-transaction.ts';
import { Batch } from '#store/postgres/write/batch.ts';
import { openLine } from '#store/postgres/connection/connect.ts';
import { Transaction } from '#store/postgres/connection/transaction.ts';
import { IN_SCHEMA } from './databases.ts';
import { namesOf, publication, type Scribe } from './publication.ts';

/** Statements that travel together, and wait for nothing but those before them. */
type Trip = readonly pg.QueryConfig[];

const PATIENCE_MS = 4000;

/** @returns what the store sends for a publication, in its two round trips */
async function tripsOf(url: string, n: number): Promise<Trip[]> {
  const line = await openLine({ url, schema: 'porchlight' });
  const sent: pg.QueryConfig[] = [];
  const query = (statement: pg.QueryConfig): unknown => {
    // The driver alone has no timers.
    sent.push({ ...statement, query_timeout: 0 } as pg.QueryConfig);
    return line.client.query(statement);
  };
  const transaction = new Transaction(
    { ...line, client: { query } as unknown as pg.Client },
    performance.now() + PATIENCE_MS,
    undefined,
  );
  const batch = new Batch(transaction, undefined);
  await batch.decide([{ work: publication(namesOf(n)) }]);
  const asked = sent.length;
  await batch.keep(await transaction.clock, 'porchlight');
  assert.equal(await transaction.commit(performance.now() + PATIENCE_MS), true);
  await line.client.end();
  return [sent.slice(0, asked), sent.slice(asked)];
}

/** @returns the same statements as of another publication */
function renamed(trip: Trip, from: number, to: number): Trip {
  const [before, after] = [namesOf(from), namesOf(to)];
  let text = JSON.stringify(trip.map(({ values }) => values));
  for (const name of ['id', 'visitor', 'key'] as const) text = text.replaceAll(before[name], after[name]);
  const all = JSON.parse(
    text.replaceAll(hashContent(before.content), hashContent(after.content)),
  ) as unknown[][];
  return trip.map((statement, index) => ({ ...statement, values: all[index]! }));
}

/**
 * The driver alone, which decides nothing: the statements of the store with other names in them, in as many round
 * trips.
 * @param first a publication whose statements are taken
 */
export async function pipelined(url: string, first: number): Promise<Scribe> {
  const trips = await tripsOf(url, first);
  const socket = new Socket();
  const client = new pg.Client({ connectionString: url, ...IN_SCHEMA, stream: () => socket, pipeline: true });
  await client.connect();
  const send = async (trip: Trip): Promise<pg.QueryResult[]> => {
    socket.cork();
    const answers = trip.map((statement) => client.query(statement));
    socket.uncork();
    return Promise.all(answers);
  };
  const write = async (n: number): Promise<void> => {
    let last: pg.QueryResult | undefined;
    for (const trip of trips) last = (await send(renamed(trip, first, n))).at(-1);
    assert.equal(last?.command, 'COMMIT');
  };
  return { write, close: () => client.end() };
}
