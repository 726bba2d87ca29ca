import assert from 'node:assert/strict';
import type { BenchContext, RunningServer } from '../bench-context.ts';
import { interleave, load } from '../load.ts';
import { measureInTurn, median } from '../rounds.ts';
import { formatCount, formatRate, formatRatio, type Bench, type Row } from '../row.ts';
import { HttpClient } from '../http-client.ts';
import { TEXT } from '../result-post.ts';
import { appendWriter } from '../writers.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const REPETITIONS = 20;
const POSTS_PER_REPETITION = 10;

const PER_SECOND = 300;
const FLOOD_SECONDS = 10;

/** Durable posts over HTTP. */
export const posts: Bench = {
  name: 'posts',
  run: async (context, { rounds, seconds, large }) => {
    const server = await context.servePorchlight(context.copyStore(large));
    return [
      ...(await fiftyConnections(context, server, rounds, seconds)),
      ...(await oneConnection(context, server, rounds)),
      await flood(server, large),
    ];
  },
};

async function fiftyConnections(
  context: BenchContext,
  server: RunningServer,
  rounds: number,
  seconds: number,
): Promise<Row[]> {
  const express = await context.servePeer('express', context.writeJson({ headers: {}, body: '{}' }));
  const body = JSON.stringify({ message: TEXT });
  const to = (target: RunningServer, path: string) => () =>
    load(target, { path, method: 'POST', headers: JSON_TYPE, body, status: 201 }, seconds);
  const many = await interleave(rounds, { express: to(express, '/store'), ours: to(server, '/api/feed') });
  const [peer, ourRate] = [many['express']!.perSecond, many['ours']!.perSecond];
  return [
    {
      path: 'an Express that parses the same body and stores nothing, 50 connections',
      goal: '',
      measured: `1.00 (${formatRate(peer)})`,
    },
    {
      path: 'POST /api/feed, 50 connections',
      goal: '>= 1 of an Express that stores nothing',
      met: ourRate >= peer,
      measured: `${formatRatio(ourRate, peer)} (${formatRate(ourRate)})`,
    },
  ];
}

async function post(client: HttpClient): Promise<void> {
  const { status } = await client.send({
    path: '/api/feed',
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ message: TEXT }),
  });
  assert.equal(status, 201);
}

/** Compares the medians of single posts and of single appends, measured alternately. */
async function oneConnection(context: BenchContext, server: RunningServer, rounds: number): Promise<Row[]> {
  const append = appendWriter(context);
  const client = new HttpClient(server.url);
  const postTimes = async (): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < POSTS_PER_REPETITION; n++) {
      const begin = performance.now();
      await post(client);
      times.push(performance.now() - begin);
    }
    return times;
  };
  const samples = await measureInTurn(rounds * REPETITIONS, {
    append: () => append({ writers: 1, each: POSTS_PER_REPETITION }),
    post: postTimes,
  });
  client.close();
  const [raw, ours] = [median(samples.append.flat()), median(samples.post.flat())];
  return [
    { path: 'append + fdatasync, beside the next', goal: '', measured: `1.00 (${raw.toFixed(2)} ms)` },
    {
      path: 'POST /api/feed, 1 connection, median',
      goal: '<= 3.5 x append + fdatasync',
      met: ours <= 3.5 * raw,
      measured: `${formatRatio(ours, raw)} (${ours.toFixed(2)} ms)`,
    },
  ];
}

/**
 * Posts at a fixed rate, without waiting for responses. Each latency counts from the time at which the post
 * is due.
 */
async function flood(server: RunningServer, large: number): Promise<Row> {
  const client = new HttpClient(server.url);
  const start = performance.now();
  const waits = await Promise.all(
    Array.from({ length: PER_SECOND * FLOOD_SECONDS }, async (_, n) => {
      const due = start + (n / PER_SECOND) * 1000;
      await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      await post(client);
      return performance.now() - due;
    }),
  );
  client.close();
  const longest = Math.max(...waits);
  const stored = formatCount(large);
  return {
    path: `${PER_SECOND} posts a second for ${FLOOD_SECONDS} s, ${stored} stored: longest acknowledgement`,
    goal: '<= 50 ms',
    met: longest <= 50,
    measured: `${longest.toFixed(0)} ms (median ${median(waits).toFixed(1)} ms)`,
  };
}
