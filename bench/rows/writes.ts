import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { openJsonStore } from '#store/json/json-store.ts';
import type { Store } from '#store/store.ts';
import { interleave, load, median } from '../load.ts';
import { perSecond, ratio, type Bench, type Row } from '../row.ts';
import { seed } from '../seed.ts';

const TEXT = 'RESULT: a list of the opening hours of the town libraries, with sources. '.repeat(6);

let ids = 0;

function post(store: Store): Promise<unknown> {
  const id = `post_019d0000-0000-7000-8000-${(++ids).toString(16).padStart(12, '0')}`;
  return store.write((writer) => writer.append('post', { id, message: TEXT, prefix: 'RESULT', parentId: null, rootId: id, answers: [] }));
}

async function milliseconds(times: number, work: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let n = 0; n < times; n++) {
    const start = performance.now();
    await work();
    all.push(performance.now() - start);
  }
  return median(all);
}

async function ratePerSecond(writers: number, ms: number, work: () => Promise<unknown>): Promise<number> {
  const until = performance.now() + ms;
  let done = 0;
  await Promise.all(Array.from({ length: writers }, async () => {
    for (; performance.now() < until; done++) await work();
  }));
  return done / ms * 1000;
}

/** Posts that are on the disk before they are acknowledged. */
export const writes: Bench = {
  name: 'writes',
  run: async (lab, { rounds, seconds, large }) => {
    const sizes = [1000, large];
    const stores: Store[] = [];
    for (const size of sizes) {
      const folder = lab.path('store');
      await seed(folder, size);
      stores.push(await openJsonStore({ folder, clock: { now: () => Date.now() }, report: () => undefined }));
    }
    const file = await open(lab.path('raw'), 'a');
    const line = Buffer.from(`${'x'.repeat(900)}\n`);
    const append = async (): Promise<void> => {
      await file.write(line);
      await file.datasync();
    };
    const sqlite = new Worker(new URL('../peers/servers/sqlite.mjs', import.meta.url), { workerData: { path: lab.path('sqlite'), text: TEXT } });
    const sqliteRate = async (): Promise<number> => {
      sqlite.postMessage(seconds * 1000);
      return ((await once(sqlite, 'message')) as [number])[0];
    };
    const one: Record<string, number[]> = { append: [], small: [], large: [] };
    const fifty: Record<string, number[]> = { sqlite: [], small: [], large: [] };
    for (let round = 0; round <= rounds; round++) {
      one['append']!.push(await milliseconds(200, append));
      fifty['sqlite']!.push(await sqliteRate());
      for (const [n, name] of ['small', 'large'].entries()) {
        one[name]!.push(await milliseconds(200, () => post(stores[n]!)));
        fifty[name]!.push(await ratePerSecond(50, seconds * 1000, () => post(stores[n]!)));
      }
    }
    await Promise.all([...stores.map((store) => store.close()), file.close(), sqlite.terminate()]);
    const m = (values: number[] | undefined): number => median(values!.slice(1));
    const [raw, small, big] = [m(one['append']), m(one['small']), m(one['large'])];
    const [lite, fewRate, manyRate] = [m(fifty['sqlite']), m(fifty['small']), m(fifty['large'])];
    return [
      { path: 'append + fdatasync, 1 writer', goal: '', measured: `1.00 (${raw.toFixed(2)} ms)` },
      { path: 'the store, 1 writer', goal: '<= 1.5 x', met: big <= 1.5 * raw, measured: `${ratio(big, raw)} (${big.toFixed(2)} ms)` },
      {
        path: `the same, ${large.toLocaleString('en')} over 1,000 stored`, goal: '<= 1.2 x', met: big <= 1.2 * small, measured: ratio(big, small),
      },
      { path: 'SQLite FULL without group commit', goal: '', measured: perSecond(lite) },
      {
        path: 'the store, 50 writers', goal: '>= 5 x SQLite FULL', met: manyRate >= 5 * lite,
        measured: `${ratio(manyRate, lite)} (${perSecond(manyRate)})`,
      },
      {
        path: `the same, ${large.toLocaleString('en')} over 1,000 stored`, goal: '>= 0.83 x', met: manyRate >= fewRate / 1.2, measured: ratio(manyRate, fewRate),
      },
      ...await overHttp(lab, rounds, seconds),
    ];
  },
};

async function overHttp(lab: Parameters<Bench['run']>[0], rounds: number, seconds: number): Promise<Row[]> {
  const ours = await lab.porchlight(lab.path('store'));
  const express = await lab.peer('express', lab.file({ headers: {}, body: '{}' }));
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ message: TEXT });
  const to = (served: typeof ours, path: string, connections: number) => () => load(served, { path, method: 'POST', headers, body, connections, status: 201 }, seconds);
  const many = await interleave(rounds, { express: to(express, '/store', 50), ours: to(ours, '/api/feed', 50) });
  const [peer, us] = [many['express']!.perSecond, many['ours']!.perSecond];
  return [
    { path: 'Express 5 parsing the same body, storing nothing, 50 connections', goal: '', measured: `1.00 (${perSecond(peer)})` },
    { path: 'POST /api/feed, 50 connections', goal: '>= 0.6', met: us >= 0.6 * peer, measured: `${ratio(us, peer)} (${perSecond(us)})` },
  ];
}
