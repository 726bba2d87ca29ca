import assert from 'node:assert/strict';
import type { Lab, Served } from '../bench-context.ts';
import { interleave, load, type Request, type Sample } from '../load.ts';
import { count, perSecond, ratio, type Effort, type Row } from '../row.ts';
import { deepCursors } from '../seed.ts';
import type { Curve } from './curve.ts';
import { jsonServers } from './json-server.ts';

const KEPT_PAGES = 200;

const NEWEST = 'GET /api/feed, the newest page';

const WAYS: Readonly<Record<string, (size: number) => Request['path']>> = {
  [NEWEST]: () => '/api/feed',
  [`GET one of ${KEPT_PAGES} deep pages, again and again`]: (size) =>
    Array.from({ length: KEPT_PAGES }, deepOf(size)),
  'GET a deep page that nobody asked for before': deepOf,
};

function deepOf(size: number): () => string {
  const cursors = deepCursors(size);
  return () => `/api/feed?before=${cursors()}`;
}

interface Page {
  readonly messages: readonly { readonly createdAt: string }[];
}

export interface Reading {
  readonly ours: readonly Curve[];
  readonly peers: readonly Curve[];
  readonly peerRows: readonly Row[];
}

/** Three ways to read a store of each size, beside json-server and prebuilt bytes. */
export async function measureReads(lab: Lab, { sizes, rounds, seconds }: Effort): Promise<Reading> {
  const contenders: Record<string, () => Promise<Sample>> = {};
  const contend = (name: string, size: number, served: Served, request: Request): void => {
    contenders[`${name} ${size}`] = () => load(served, request, seconds);
  };
  const stores = new Map<number, Served>();
  for (const size of sizes) stores.set(size, await lab.porchlight(lab.store(size)));
  for (const [name, pathsOf] of Object.entries(WAYS)) {
    // One size beside the next, since it is these that are compared.
    for (const [size, served] of stores) contend(name, size, served, { path: pathsOf(size) });
  }
  for (const [size, served] of stores) await checkDeep(served, deepOf(size)());
  const feed = await (await fetch(`${stores.get(sizes[0]!)!.url}/api/feed`)).text();
  assert.equal((JSON.parse(feed) as Page).messages.length, 50);
  const others = await jsonServers(lab, sizes, (JSON.parse(feed) as Page).messages[0]!);
  for (const { name, size, served, path } of others) contend(name, size, served, { path });
  contend(
    'raw',
    0,
    await lab.peer('raw', lab.file({ headers: { 'Content-Type': 'application/json' }, body: feed })),
    { path: '/' },
  );
  const found = await interleave(rounds, contenders);
  await lab.quiet();

  const sample = (name: string, size: number): Sample => found[`${name} ${size}`]!;
  const rate = (name: string, size: number): number => sample(name, size).perSecond;
  const curve = (name: string, of: readonly number[]): Curve => ({
    name,
    points: of.map((size) => ({
      size,
      microseconds: 1e6 / rate(name, size),
      processor: sample(name, size).microseconds,
    })),
  });
  return {
    ours: Object.keys(WAYS).map((name) => curve(name, sizes)),
    peers: [...new Set(others.map(({ name }) => name))].map((name) =>
      curve(
        name,
        others.filter((one) => one.name === name).map(({ size }) => size),
      ),
    ),
    peerRows: others.map(({ name, size }) => ({
      path: `${name}, newest 50 of ${count(size)}, 50 connections`,
      goal: '',
      measured: `${(rate(name, size) / rate('raw', 0)).toFixed(4)} of raw (${perSecond(rate(name, size))}; GET /api/feed ${ratio(rate(NEWEST, size), rate('raw', 0))})`,
    })),
  };
}

async function checkDeep({ url }: Served, path: string): Promise<void> {
  const { messages } = (await (await fetch(url + path)).json()) as Page;
  const before = new URL(url + path).searchParams.get('before')!;
  assert.equal(messages.length, 50);
  assert.ok(messages.every(({ createdAt }) => createdAt < before));
}
