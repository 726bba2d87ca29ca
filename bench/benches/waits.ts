import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileLimit } from '#http/guards/connection-limit.ts';
import { freePort } from '../../test/support/postgres/process.ts';
import { SMALL } from '../data.ts';
import { Connection, postOf } from '../load.ts';
import { longest, median } from '../measure.ts';
import { formatNumber, type Bench } from '../rows.ts';

const CALLS = 10_000;

/** The share of a server's connections that may wait, and the file descriptors for other purposes. */
const WAITING_SHARE = 0.8;
const OTHER_FILES = 200;

/** Connections that are opened at once; Node queues 511. */
const OPENED_AT_ONCE = 100;

const WAIT = { path: '/api/updates?wait=240' };

/** Calls that wait for a message: the time until one post answers them all. */
export const waits: Bench = async ({ data, programs, rounds, row }) => {
  const metricsPort = String(await freePort());
  const settings = { DATA_DIR: await data.copyFolder(SMALL), METRICS_PORT: metricsPort };
  const server = await programs.serve(programs.porchlight(['serve'], settings));
  const waiters = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(/^porchlight_waiters (\d+)/m.exec(text)![1]);
  };
  const count = Math.min(CALLS, Math.floor((openFileLimit(process.report) - OTHER_FILES) * WAITING_SHARE));
  const connections: Connection[] = [];
  while (connections.length < count) {
    const next = Array.from({ length: Math.min(OPENED_AT_ONCE, count - connections.length) }, () =>
      Connection.open(server),
    );
    connections.push(...(await Promise.all(next)));
  }
  const poster = await Connection.open(server);
  const lasts: number[] = [];
  const all: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const answers = connections.map(async (connection) => {
      const response = await connection.send(WAIT);
      const at = performance.now();
      assert.ok(response.includes('"timedOut":false'));
      return at;
    });
    while ((await waiters()) !== count) await sleep(100);
    await poster.send(postOf(`RESULT: message ${round}`));
    const posted = performance.now();
    const times = (await Promise.all(answers)).map((at) => at - posted);
    // The first round is a warm-up.
    if (round === 0) continue;
    lasts.push(longest(times));
    all.push(...times);
  }
  for (const connection of [...connections, poster]) connection.close();
  const calls = count < CALLS ? `; ${formatNumber(count)} calls, as many as \`ulimit -n\` allows` : '';
  row('waits', median(lasts) / 1000, `median response ${formatNumber(median(all))} ms${calls}`);
};
