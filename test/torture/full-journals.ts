import { randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REASONS } from '#private/private-store.ts';
import { MAX_REPORTS_A_DAY } from '#workspace/moderation/report-state.ts';
import { receiveHook } from '../support/http/hook-receiver.ts';
import { postJson } from '../support/http/post-json.ts';
import { megabytes, memoryProbe } from '../support/memory.ts';
import { runOperator } from './support/operator.ts';
import { overRest } from './support/publish.ts';
import type { Server } from './support/server.ts';
import { ShiftedClock } from './support/shifted-clock.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';

const PRELOAD = new URL('support/turns.js', import.meta.url).href;
const DAY_MS = 86_400_000;
const FULL_DAYS = 30;
const SHORT_DAYS = 2;
const RECORDS = 100_000;
/** For the watch of the operator and the numbers of `status` to come round. */
const SETTLE_MS = 12_000;

const MAX_TURN_MS = 100;
const MAX_GROWTH = 150 * 2 ** 20;

const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Writes as many reports of each reason as one day takes, one of them of `id`. */
function fillJournals(folder: string, id: string, fullDays: number): void {
  const ids = [id, ...Array.from({ length: RECORDS - 1 }, () => `post_${randomUUID()}`)];
  mkdirSync(join(folder, 'private'), { recursive: true, mode: 0o700 });
  for (let days = 1; days <= fullDays; days++) {
    const day = dayBefore(days);
    const path = join(folder, 'private', `${day}.jsonl`);
    writeFileSync(path, '', { mode: 0o600 });
    for (const [index, reason] of REASONS.entries()) {
      let lines = '';
      for (let n = 0; n < MAX_REPORTS_A_DAY; n++) {
        const reported = index + n === 0 ? id : ids[(days * 7919 + index * MAX_REPORTS_A_DAY + n) % RECORDS];
        const tag = randomBytes(16).toString('base64url');
        lines += `\n${JSON.stringify({ type: 'report', day, id: reported, reason, tag, isQuiet: n % 9 > 0 })}\n`;
      }
      appendFileSync(path, lines);
    }
  }
}

const report = async (server: Server, id: string): Promise<number> =>
  (await postJson(`${server.url}/api/reports`, { id, reason: 'spam' })).status;

const peakMemory = (server: Server): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) * 1024;

async function run({ sandbox, tally, log, isShort }: ScenarioOptions): Promise<Outcome> {
  const fullDays = isShort ? SHORT_DAYS : FULL_DAYS;
  const folder = await sandbox.createFolder();
  const clock = await ShiftedClock.create(sandbox, 0);
  const turns = join(await sandbox.createFolder(), 'turns');
  const settings = {
    DATA_DIR: folder,
    // A server with a hook looks for what it has to tell.
    HOOK_URL: (await receiveHook(sandbox)).url,
    REPORTS_TO_HOLD: '3',
    ...clock.settings,
    TURNS: turns,
  };
  const serve = async () => {
    const probe = memoryProbe();
    const options = [settings.NODE_OPTIONS, probe.settings['NODE_OPTIONS'], `--import=${PRELOAD}`];
    const server = await sandbox.serve({ ...settings, ...probe.settings, NODE_OPTIONS: options.join(' ') });
    return { server, measure: probe.measure };
  };
  const longestSince = (from: number): number =>
    Math.max(...readFileSync(turns, 'utf8').slice(from).trim().split('\n').map(Number));
  const now = (): number => readFileSync(turns, 'utf8').length;

  const { server: plain, measure: measurePlain } = await serve();
  const { post } = await overRest(plain.url)('a message');
  const id = String(post?.id);
  tally.expect((await report(plain, id)) === 201, 'a report to an empty journal was refused');
  await sleep(SETTLE_MS);
  const before = { held: (await measurePlain()).used, peak: peakMemory(plain) };
  await plain.end('SIGTERM');

  fillJournals(folder, id, fullDays);
  log('the journals are full');
  const { server, measure } = await serve();
  const from = performance.now();
  // What is loaded before a server listens is no stall of it.
  await sleep(2000);
  const started = now();
  tally.expect((await report(server, id)) === 201, 'a report to full journals was refused');
  const seconds = (performance.now() - from) / 1000;
  await sleep(SETTLE_MS);
  const startTurn = longestSince(started);
  log(`start: ${seconds.toFixed(1)} s, ${startTurn} ms`);

  const midnight = now();
  clock.set(Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 60_000));
  tally.expect((await report(server, id)) === 201, 'a report after midnight was refused');
  await sleep(SETTLE_MS);
  const midnightTurn = longestSince(midnight);
  const growth = (await measure()).used - before.held;
  const peakGrowth = peakMemory(server) - before.peak;

  const { output } = await runOperator(sandbox, ['reports', '--json'], settings);
  const { items } = JSON.parse(output) as { items: { id: string; networks: number }[] };
  // One of each full day but the expired one, one of the day before midnight and one of the day after it.
  const networks = items.find((item) => item.id === id)?.networks ?? 0;
  tally.lost += Math.max(0, fullDays + (isShort ? 2 : 1) - networks);
  for (const [name, ms] of Object.entries({ start: startTurn, midnight: midnightTurn }))
    tally.expectFast(ms <= MAX_TURN_MS, `${name}: a turn of ${ms} ms`);
  tally.expect(peakGrowth <= MAX_GROWTH, `${megabytes(peakGrowth)} more at the peak of resident memory`);
  tally.expect((await server.end('SIGTERM')) === 0, 'the server did not stop cleanly');
  tally.rounds += 1;
  return tally.outcome(
    `longest turn ${startTurn} ms at the start, ${midnightTurn} ms at midnight; ${megabytes(growth)} more after a collection, ` +
      `${megabytes(peakGrowth)} at the peak of resident memory; ` +
      `first report after ${seconds.toFixed(1)} s`,
  );
}

export const fullJournals: Scenario = {
  name: 'full-journals',
  description:
    '30 days of full journals: a server starts and passes midnight without a stall, in little memory',
  requirements: ['procfs'],
  rounds: 1,
  maxSecondsPerRound: 600,
  run,
};
