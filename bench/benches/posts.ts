import { setTimeout as sleep } from 'node:timers/promises';
import { open } from 'node:fs/promises';
import { LARGE, SETTLE_MS } from '../data.ts';
import { Connection, load, loadAtRate, loadInTurn, POST } from '../load.ts';
import { longest, measureInTurn, median, timed } from '../measure.ts';
import type { RunningServer } from '../programs.ts';
import { formatNumber, formatRate, type Bench, type BenchContext } from '../rows.ts';

const FIRST_EDITION = '6307442';

/** Short turns of single writes, so that other load of the disk affects all alike. */
const TURNS = 20;
const WRITES_PER_TURN = 10;

/** Has the length of the store's line of such a post. */
const LINE = Buffer.from(`${'x'.repeat(900)}\n`);

const FLOOD = { perSecond: 300, seconds: 10 };

/** Durable posts over HTTP. */
export const posts: Bench = async (context) => {
  const { data, programs, rounds, seconds, row } = context;
  const ours = await programs.serveFolder(await data.copyFolder(LARGE));
  await sleep(SETTLE_MS);
  const express = await programs.serve(programs.peer('express', { body: '{}' }));
  const many = await loadInTurn(rounds, {
    express: () => load(express, POST, seconds),
    ours: () => load(ours, POST, seconds),
  });
  row(
    'posts',
    many.ours.perSecond / many.express.perSecond,
    `${formatRate(many.ours.perSecond)}, ${formatRate(many.express.perSecond)}`,
  );
  await besideFirstEdition(context);
  await oneConnection(context, ours);
  const flood = await loadAtRate(ours, POST, FLOOD.perSecond, FLOOD.seconds);
  row('flood', longest(flood), `median ${formatNumber(median(flood))} ms`);
};

/** Both run from the source, with only the posts of this measurement. */
async function besideFirstEdition({ programs, rounds, seconds, row }: BenchContext): Promise<void> {
  const first = await programs.serveFolder(programs.path('first'), programs.installCommit(FIRST_EDITION));
  const ours = await programs.serveFolder(programs.path('ours'));
  const cpu = await loadInTurn(rounds, {
    first: () => load(first, POST, seconds),
    ours: () => load(ours, POST, seconds),
  });
  const [our, their] = [cpu.ours.cpuMicroseconds, cpu.first.cpuMicroseconds];
  row('postProcessor', our / their, `${formatNumber(our)} us, ${formatNumber(their)} us`);
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
