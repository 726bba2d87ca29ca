import assert from 'node:assert/strict';
import type { BenchContext, RunningServer } from '../bench-context.ts';
import { interleave, load, type Request, type Sample } from '../load.ts';
import { untilIdle } from '../processes.ts';
import { formatCount, formatRate, formatRatio, type Settings, type Row } from '../row.ts';
import { deepCursors } from '../seed.ts';
import type { Curve } from './curve.ts';
import { jsonServers } from './json-server.ts';

const REPEATED_PAGES = 200;

const NEWEST = 'GET /api/feed, the newest page';

const READS: Readonly<Record<string, (size: number) => Request['path']>> = {
  [NEWEST]: () => '/api/feed',
  [`GET one of ${REPEATED_PAGES} deep pages, again and again`]: (size) =>
    Array.from({ length: REPEATED_PAGES }, deepPages(size)),
  'GET a deep page that nobody asked for before': deepPages,
};

function deepPages(size: number): () => string {
  const cursors = deepCursors(size);
  return () => `/api/feed?before=${cursors()}`;
}

interface Page {
  readonly messages: readonly { readonly createdAt: string }[];
}

export interface ReadResults {
  readonly ours: readonly Curve[];
  readonly peerRows: readonly Row[];
}

/** Measures three reads of a store of each size, json-server, and prebuilt bytes. */
export async function measureReads(
  context: BenchContext,
  { sizes, rounds, seconds }: Settings,
): Promise<ReadResults> {
  const measurements: Record<string, () => Promise<Sample>> = {};
  const addMeasurement = (name: string, size: number, server: RunningServer, request: Request): void => {
    measurements[`${name} ${size}`] = () => load(server, request, seconds);
  };
  const stores = new Map<number, RunningServer>();
  for (const size of sizes) stores.set(size, await context.servePorchlight(context.copyStore(size)));
  for (const [name, createPaths] of Object.entries(READS)) {
    // The sizes of one read are measured one after the other, because they are compared.
    for (const [size, server] of stores) addMeasurement(name, size, server, { path: createPaths(size) });
  }
  for (const [size, server] of stores) await checkDeepPage(server, deepPages(size)());
  const feed = await (await fetch(`${stores.get(sizes[0]!)!.url}/api/feed`)).text();
  assert.equal((JSON.parse(feed) as Page).messages.length, 50);
  const peerServers = await jsonServers(context, sizes, (JSON.parse(feed) as Page).messages[0]!);
  for (const { name, size, server, path } of peerServers) addMeasurement(name, size, server, { path });
  addMeasurement(
    'raw',
    0,
    await context.servePeer(
      'raw',
      context.writeJson({ headers: { 'Content-Type': 'application/json' }, body: feed }),
    ),
    { path: '/' },
  );
  for (const { pid } of stores.values()) await untilIdle(pid);
  const samples = await interleave(rounds, measurements);
  await context.stopAll();

  const sample = (name: string, size: number): Sample => samples[`${name} ${size}`]!;
  const rate = (name: string, size: number): number => sample(name, size).perSecond;
  const curve = (name: string): Curve => ({
    name,
    points: sizes.map((size) => ({
      size,
      microseconds: 1e6 / rate(name, size),
      cpuMicroseconds: sample(name, size).cpuMicroseconds,
    })),
  });
  const compare = (name: string, size: number): string =>
    `${(rate(name, size) / rate('raw', 0)).toFixed(4)} of raw (${formatRate(rate(name, size))}; ` +
    `GET /api/feed ${formatRatio(rate(NEWEST, size), rate('raw', 0))})`;
  return {
    ours: Object.keys(READS).map(curve),
    peerRows: peerServers.map(({ name, size }) => ({
      path: `${name}, newest 50 of ${formatCount(size)}, 50 connections`,
      goal: '',
      measured: compare(name, size),
    })),
  };
}

async function checkDeepPage({ url }: RunningServer, path: string): Promise<void> {
  const { messages } = (await (await fetch(url + path)).json()) as Page;
  const before = new URL(url + path).searchParams.get('before')!;
  assert.equal(messages.length, 50);
  assert.ok(messages.every(({ createdAt }) => createdAt < before));
}
