import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postJson } from '../support/http/post-json.ts';
import { Database } from './support/database.ts';
import { runOperator } from './support/operator.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';

const WRITES = 5_000;
const NETWORKS = 2_000;
const MINUTES = 5;
/** Of a short run. */
const SHARE = 0.1;
const VALVE = 120;
const NEWCOMERS = 100;
const TRIES = 10;
const MUST_SUCCEED = 90;
const MINUTE_MS = 60_000;
const HIDDEN = 5_000;
const HIDE_MS = 10_000;

type Settings = Readonly<Record<string, string>>;

const post = (url: string, address: string, message: string): Promise<Response> =>
  postJson(`${url}/api/feed`, { message }, { 'X-Forwarded-For': address });

/** @returns whether a network that has not written gets through within ten tries */
async function arrive(url: string, n: number): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    const response = await post(url, `172.16.${n}.1`, `hello from newcomer ${n}, try ${tries}`);
    await response.arrayBuffer();
    if (response.status === 201) return true;
    await sleep(Number(response.headers.get('retry-after')) * 1000 + Math.random() * 2_000);
  }
  return false;
}

/** @param share of the writes and of the time */
async function attack(url: string, share: number): Promise<void> {
  const pause = (MINUTES * MINUTE_MS) / WRITES;
  const start = performance.now();
  const requests: Promise<unknown>[] = [];
  for (let n = 0; n < WRITES * share; n++) {
    await sleep(Math.max(0, start + n * pause - performance.now()));
    const network = Math.floor(Math.random() * NETWORKS);
    const address = `10.${network >> 8}.${network & 255}.1`;
    requests.push(post(url, address, `cheap lamps ${n}`).then((response) => response.arrayBuffer()));
  }
  await Promise.all(requests);
}

/** @returns the most posts that became visible within any minute */
async function busiestMinute(url: string): Promise<number> {
  const times: number[] = [];
  let before = '';
  do {
    const response = await fetch(`${url}/api/feed?limit=100${before && `&before=${before}`}`);
    const { messages, nextBefore } = (await response.json()) as {
      messages: { createdAt: string }[];
      nextBefore: string | null;
    };
    times.push(...messages.map(({ createdAt }) => Date.parse(createdAt)));
    before = nextBefore ?? '';
  } while (before !== '');
  times.reverse();
  return Math.max(...times.map((end, index) => index + 1 - times.findIndex((at) => at > end - MINUTE_MS)));
}

const ADDRESS = /\b(?:10\.\d+\.\d+\.1|172\.16\.\d+\.1)\b/;

function holdsAddress(folder: string): boolean {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .some((file) => statSync(file).isFile() && ADDRESS.test(readFileSync(file, 'latin1')));
}

async function replay(
  { sandbox, tally, log, isShort }: ScenarioOptions,
  engine: string,
  store: Settings,
): Promise<string> {
  const settings = { ...store, TRUSTED_PROXIES: '127.0.0.1', REQUESTS_PER_MINUTE: '0' };
  const server = await sandbox.serve({ ...settings, WRITES_PER_MINUTE_TOTAL: String(VALVE) });
  const { url } = server;
  for (let n = 0; n < 50; n++) await post(url, `192.0.2.${n}`, `an older post ${n}`);
  const share = isShort ? SHARE : 1;
  await sleep(MINUTE_MS * share);
  log(`${engine}: ${WRITES} writes in ${MINUTES} minutes`);
  const attacking = attack(url, share);
  const arriving = NEWCOMERS * share;
  const newcomers: Promise<boolean>[] = [];
  for (let n = 0; n < arriving; n++) {
    newcomers.push(arrive(url, n));
    await sleep((MINUTES * MINUTE_MS) / NEWCOMERS / 2);
  }
  const through = (await Promise.all(newcomers)).filter(Boolean).length;
  await attacking;
  const most = await busiestMinute(url);
  tally.expect(most <= 2 * VALVE, `${engine}: ${most} posts in a minute`);
  tally.expect(through >= MUST_SUCCEED * share, `${engine}: ${through} of ${arriving} newcomers got through`);
  tally.expect(!ADDRESS.test(server.log), `${engine}: the log holds an address`);
  if (store['DATA_DIR'] !== undefined)
    tally.expect(!holdsAddress(store['DATA_DIR']), `${engine}: a file holds an address`);
  await server.end('SIGTERM');

  const open = await sandbox.serve({ ...settings, FEED_POSTS_PER_HOUR: '0' });
  for (let n = 0; n < HIDDEN * share; n += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, k) => post(open.url, '192.0.2.1', `cheap lamps again ${n + k}`)),
    );
  const start = performance.now();
  const args = ['hide', '--matching', 'cheap lamps', '--reason', 'advertising', '--yes', '--all'];
  const { code } = await runOperator(sandbox, args, store);
  const hideMs = performance.now() - start;
  const left = (await (await fetch(`${open.url}/api/feed?q=lamps`)).json()) as { messages: unknown[] };
  tally.expect(code === 0 && left.messages.length === 0, `${engine}: hide ended with ${code}`);
  tally.expectFast(hideMs <= HIDE_MS, `${engine}: hide took ${Math.round(hideMs)} ms`);
  await open.end('SIGTERM');
  tally.rounds += 1;
  return (
    `${engine}: at most ${most} posts a minute, ${through} of ${arriving} newcomers, ` +
    `over ${HIDDEN * share} hidden in ${(hideMs / 1000).toFixed(1)} s`
  );
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { sandbox, tally } = options;
  const database = await Database.create(sandbox);
  const remarks = await Promise.all([
    replay(options, 'folder', { DATA_DIR: await sandbox.createFolder() }),
    replay(options, 'database', { DATABASE_URL: database.url }),
  ]);
  return tally.outcome(remarks.join('; '));
}

export const campaign: Scenario = {
  name: 'campaign',
  description:
    '5,000 writes in 5 minutes from 2,000 networks against a valve of 120: 240 a minute, newcomers get through, one command clears it',
  rounds: 1,
  maxSecondsPerRound: 900,
  run,
};
