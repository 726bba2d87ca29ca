import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import { DatabaseClock } from '#store/postgres/connection/database-clock.ts';
import { ClientTags } from '#store/postgres/schema/client-tags.ts';
import { BatchState } from '#store/engine/batch-state.ts';
import { openPipelinedConnection } from '#store/postgres/connection/connect.ts';
import { TIMEOUTS } from '#store/postgres/connection/timeouts.ts';
import { Transaction } from '#store/postgres/connection/transaction.ts';
import { readCommittedState } from '#store/postgres/write/committed-state.ts';
import { BatchPersister } from '#store/postgres/write/persist.ts';
import type { Facts, Store } from '#store/port/store.ts';
import { IN_SCHEMA } from './databases.ts';
import { publicationNames, publication, type Publisher } from './publication.ts';

/** Statements that are sent together in one round trip. */
type RoundTrip = readonly pg.QueryConfig[];

const TIMEOUT_MS = 4000;

const DAY_MS = 24 * 60 * 60 * 1000;

const TAGS = new ClientTags([randomBytes(32)]);

/** Records the statements that the store sends for a publication, in two round trips. */
async function recordRoundTrips(url: string, n: number): Promise<RoundTrip[]> {
  const line = await openPipelinedConnection({ url, schema: 'porchlight', timeouts: TIMEOUTS });
  const clock = await DatabaseClock.read(line.client, () => undefined);
  const sent: pg.QueryConfig[] = [];
  const query = (statement: pg.QueryConfig): unknown => {
    // Without the store's query timeout, since the driver alone sets none.
    sent.push({ ...statement, query_timeout: 0 } as pg.QueryConfig);
    return line.client.query(statement);
  };
  // The persister calls no other method of the client.
  const client = { query } as unknown as pg.Client;
  let firstTripLength = 0;
  const write: Store['write'] = async (lookups, decide) => {
    const deadline = performance.now() + TIMEOUT_MS;
    const transaction = new Transaction({ ...line, client }, deadline);
    const asked = Object.values(lookups).filter((lookup) => lookup !== undefined);
    const { head, committed } = await readCommittedState({ transaction, clock, tags: TAGS }, asked);
    firstTripLength = sent.length;
    const state = new BatchState(committed);
    const { answer, operation } = decide(state.facts(lookups) as Facts<typeof lookups>);
    const persister = new BatchPersister(head, TAGS);
    if (operation !== undefined) persister.stage(state.prepare(lookups, operation));
    persister.send(transaction, 'porchlight');
    assert.equal(await transaction.commit(deadline), true);
    return answer;
  };
  await publication({ write }, publicationNames(n));
  await line.client.end();
  return [sent.slice(0, firstTripLength), sent.slice(firstTripLength)];
}

/** All tags that the statements of a publication may contain. */
function listTags({ clientKey, key, content }: ReturnType<typeof publicationNames>): string[] {
  const scope = { clientKey, kind: 'post' } as const;
  const days = TAGS.ofWindow(Date.now(), DAY_MS);
  return days.flatMap((day) => [day.client(clientKey), day.key(scope, key), day.content(scope, content)]);
}

/** Replaces the values of one publication in the statements by the values of another. */
function withNames(roundTrip: RoundTrip, from: number, to: number): RoundTrip {
  const [before, after] = [publicationNames(from), publicationNames(to)];
  let text = JSON.stringify(roundTrip.map(({ values }) => values));
  text = text.replaceAll(before.id, after.id);
  const tagsAfter = listTags(after);
  for (const [index, tag] of listTags(before).entries()) text = text.replaceAll(tag, tagsAfter[index]!);
  const all = JSON.parse(text) as unknown[][];
  return roundTrip.map((statement, index) => ({ ...statement, values: all[index]! }));
}

/**
 * Publishes by the driver alone: the recorded statements of the store with other values, in the same round
 * trips.
 * @param first the publication whose statements are recorded
 */
export async function pipelined(url: string, first: number): Promise<Publisher> {
  const roundTrips = await recordRoundTrips(url, first);
  const socket = new Socket();
  const client = new pg.Client({ connectionString: url, ...IN_SCHEMA, stream: () => socket, pipeline: true });
  await client.connect();
  const send = async (roundTrip: RoundTrip): Promise<pg.QueryResult[]> => {
    socket.cork();
    const results = roundTrip.map((statement) => client.query(statement));
    socket.uncork();
    return Promise.all(results);
  };
  const publish = async (n: number): Promise<void> => {
    let last: pg.QueryResult | undefined;
    for (const roundTrip of roundTrips) last = (await send(withNames(roundTrip, first, n))).at(-1);
    assert.equal(last?.command, 'COMMIT');
  };
  return { publish, close: () => client.end() };
}
