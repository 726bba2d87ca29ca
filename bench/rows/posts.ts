import assert from 'node:assert/strict';
import type { Lab, Served } from '../bench-context.ts';
import { interleave, load } from '../load.ts';
import { inTurn, median } from '../rounds.ts';
import { count, perSecond, ratio, type Bench, type Row } from '../row.ts';
import { Wire } from '../http-client.ts';
import { appender, TEXT } from '../writers.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const TURNS = 20;
const EACH = 10;

const PER_SECOND = 300;
const FLOOD_SECONDS = 10;

/** Posts over HTTP, each on the disk before it is acknowledged. */
export const posts: Bench = {
  name: 'posts',
  run: async (lab, { rounds, seconds, large }) => {
    const ours = await lab.porchlight(lab.store(large));
    return [
      ...(await fiftyConnections(lab, ours, rounds, seconds)),
      ...(await oneConnection(lab, ours, rounds)),
      await flood(ours, large),
    ];
  },
};

async function fiftyConnections(lab: Lab, ours: Served, rounds: number, seconds: number): Promise<Row[]> {
  const express = await lab.peer('express', lab.file({ headers: {}, body: '{}' }));
  const body = JSON.stringify({ message: TEXT });
  const to = (served: Served, path: string) => () =>
    load(served, { path, method: 'POST', headers: JSON_TYPE, body, status: 201 }, seconds);
  const many = await interleave(rounds, { express: to(express, '/store'), ours: to(ours, '/api/feed') });
  const [peer, us] = [many['express']!.perSecond, many['ours']!.perSecond];
  return [
    {
      path: 'Express 5 parsing the same body, storing nothing, 50 connections',
      goal: '',
      measured: `1.00 (${perSecond(peer)})`,
    },
    {
      path: 'POST /api/feed, 50 connections',
      goal: '>= 0.6',
      met: us >= 0.6 * peer,
      measured: `${ratio(us, peer)} (${perSecond(us)})`,
    },
  ];
}

async function post(wire: Wire): Promise<void> {
  const { status } = await wire.ask({
    path: '/api/feed',
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ message: TEXT }),
  });
  assert.equal(status, 201);
}

/** The medians of single posts and of single appends, a few of each in turn. */
async function oneConnection(lab: Lab, ours: Served, rounds: number): Promise<Row[]> {
  const append = appender(lab);
  const wire = new Wire(ours.url);
  const times = async (): Promise<number[]> => {
    const all: number[] = [];
    for (let n = 0; n < EACH; n++) {
      const begun = performance.now();
      await post(wire);
      all.push(performance.now() - begun);
    }
    return all;
  };
  const found = await inTurn(rounds * TURNS, {
    append: () => append({ writers: 1, each: EACH }),
    post: times,
  });
  wire.close();
  const [raw, us] = [median(found.append.flat()), median(found.post.flat())];
  return [
    { path: 'append + fdatasync, beside the next', goal: '', measured: `1.00 (${raw.toFixed(2)} ms)` },
    {
      path: 'POST /api/feed, 1 connection, median',
      goal: '<= 4.5 x',
      met: us <= 4.5 * raw,
      measured: `${ratio(us, raw)} (${us.toFixed(2)} ms)`,
    },
  ];
}

/** Posts by the clock, whether those before are answered or not; each waits from when it was due. */
async function flood(ours: Served, large: number): Promise<Row> {
  const wire = new Wire(ours.url);
  const start = performance.now();
  const waits = await Promise.all(
    Array.from({ length: PER_SECOND * FLOOD_SECONDS }, async (_, n) => {
      const due = start + (n / PER_SECOND) * 1000;
      await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      await post(wire);
      return performance.now() - due;
    }),
  );
  wire.close();
  const longest = Math.max(...waits);
  return {
    path: `${PER_SECOND} posts a second for ${FLOOD_SECONDS} s, ${count(large)} stored: longest acknowledgement`,
    goal: '<= 250 ms',
    met: longest <= 250,
    measured: `${longest.toFixed(0)} ms (median ${median(waits).toFixed(1)} ms)`,
  };
}
