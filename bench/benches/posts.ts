import { setTimeout as sleep } from 'node:timers/promises';
import { open } from 'node:fs/promises';
import { LARGE, SETTLE_MS } from '../data.ts';
import {
  Connection,
  load,
  loadAtRate,
  loadInTurn,
  MESSAGE,
  POST,
  postOf,
  warmUp,
  type Request,
} from '../load.ts';
import { longest, measureInTurn, median, timed } from '../measure.ts';
import type { RunningServer } from '../programs.ts';
import { formatNumber, formatRate, type Bench, type BenchContext, type RowName } from '../rows.ts';

const FIRST_EDITION = '6307442';

/** Short turns of single writes, so that other load of the disk affects all alike. */
const TURNS = 20;
const WRITES_PER_TURN = 10;

/** Short turns of loads of two servers, since one turn of each differs by a fifth from the next. */
const LOAD_TURNS = 5;
const LOAD_SECONDS = 1;

/** Has the length of the store's line of such a post. */
const LINE = Buffer.from(`${'x'.repeat(900)}\n`);

/** Threads that the load of replies goes to in turn, so that each has some ten of them. */
const THREADS = 2000;

const FLOOD = { perSecond: 300, seconds: 10 };

/** Durable posts over HTTP. */
export const posts: Bench = async (context) => {
  const { data, programs, rounds, seconds, row } = context;
  const ours = await programs.serveFolder(await data.copyFolder(LARGE));
  await sleep(SETTLE_MS);
  const express = await programs.serve(programs.peer('express', { body: '{}' }));
  for (const server of [ours, express]) await warmUp(server);
  const many = await loadInTurn(rounds, {
    express: () => load(express, POST, seconds),
    ours: () => load(ours, POST, seconds),
  });
  row(
    'posts',
    many.ours.perSecond / many.express.perSecond,
    `${formatRate(many.ours.perSecond)}, ${formatRate(many.express.perSecond)}`,
  );
  await oneConnection(context, ours);
  const flood = await loadAtRate(ours, POST, FLOOD.perSecond, FLOOD.seconds);
  row('flood', longest(flood), `median ${formatNumber(median(flood))} ms`);
  await programs.stopAll();
  await besideFirstEdition(context);
  await besideCommit(context);
};

async function besideFirstEdition(context: BenchContext): Promise<void> {
  const servers = await serveBoth(context, FIRST_EDITION);
  await processorRow(context, 'postProcessor', servers, { ours: POST, theirs: POST });
  await context.programs.stopAll();
}

async function besideCommit(context: BenchContext): Promise<void> {
  const servers = await serveBoth(context, context.beside);
  await processorRow(context, 'beginProcessor', servers, { ours: POST, theirs: POST });
  const replies = { ours: await repliesOf(servers.ours), theirs: await repliesOf(servers.theirs) };
  await processorRow(context, 'replyProcessor', servers, replies);
}

type Pair<Value> = Readonly<Record<'ours' | 'theirs', Value>>;

/** Starts the packages of both on folders that hold only the posts of this measurement. */
async function serveBoth({ programs }: BenchContext, commit: string): Promise<Pair<RunningServer>> {
  const theirs = await programs.serveFolder(programs.path('theirs'), programs.buildCommit(commit));
  return { ours: await programs.serveFolder(programs.path('ours')), theirs };
}

async function processorRow(
  { rounds, row }: BenchContext,
  name: RowName,
  { ours, theirs }: Pair<RunningServer>,
  requests: Pair<Request | readonly Request[]>,
): Promise<void> {
  await warmUp(ours, requests.ours);
  await warmUp(theirs, requests.theirs);
  const cpu = await loadInTurn(rounds * LOAD_TURNS, {
    theirs: () => load(theirs, requests.theirs, LOAD_SECONDS),
    ours: () => load(ours, requests.ours, LOAD_SECONDS),
  });
  const [our, their] = [cpu.ours.cpuMicroseconds, cpu.theirs.cpuMicroseconds];
  row(name, our / their, `${formatNumber(our)} us, ${formatNumber(their)} us`);
}

/** Begins threads. @returns a reply to each */
async function repliesOf(server: RunningServer): Promise<Request[]> {
  const connection = await Connection.open(server);
  const replies: Request[] = [];
  for (let n = 0; n < THREADS; n++) {
    const response = await connection.send(postOf(`IDEA: thread ${n}`));
    const { id } = JSON.parse(response.slice(response.indexOf('{'))) as { id: string };
    replies.push(postOf(MESSAGE, id));
  }
  connection.close();
  return replies;
}

async function oneConnection({ programs, rounds, row }: BenchContext, server: RunningServer): Promise<void> {
  const file = await open(programs.path('raw'), 'a');
  const connection = await Connection.open(server);
  const turnOf = (write: () => Promise<unknown>) => async (): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < WRITES_PER_TURN; n++) times.push(await timed(write));
    return times;
  };
  const times = await measureInTurn(rounds * TURNS, {
    append: turnOf(async () => {
      await file.write(LINE);
      await file.datasync();
    }),
    post: turnOf(() => connection.send(POST)),
  });
  connection.close();
  await file.close();
  const [post, append] = [median(times.post.flat()), median(times.append.flat())];
  row('onePost', post / append, `${formatNumber(post)} ms, ${formatNumber(append)} ms`);
}
