import { setMaxListeners } from 'node:events';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';
import { Database } from './support/database.ts';
import { readFeed } from './support/feed.ts';
import { Agent } from './support/living/agent.ts';
import { Client, type World } from './support/living/client.ts';
import { Follower } from './support/living/follower.ts';
import { Instances, Timings } from './support/living/instances.ts';
import { Ledger } from './support/living/ledger.ts';
import { runOperator } from './support/operator.ts';
import { SeededRandom } from './support/random.ts';
import { waitUntil } from './support/time.ts';

type Settings = Readonly<Record<string, string>>;

const AGENTS = 60;
const PACE = { minuteMs: 60_000, intervalMs: 45_000, pauseMs: 10_000, operatorMs: 10_000 };
/** A round among the tests: a server is stopped for longer than a lock lives. */
const SHORT_PACE = { minuteMs: 18_000, intervalMs: 3000, pauseMs: 5500, operatorMs: 2000 };

/** Each agent posts more than a visitor of a public place: the other limits are the default ones. */
const LIMITS = { FEED_POSTS_PER_HOUR: '2000', REPORTS_PER_HOUR: '1000' };

/** The commands that end with 1 if something needs the operator. */
const SPEAKING = new Set(['status']);
const RESIDENT_GROWTH = { factor: 1.4, megabytes: 80 };
const MAX_DESCRIPTORS = 600;
/** Log files and connections to the database, which open when they are first used. */
const OPENED_LATER = 25;
/** A server closes an idle connection before. */
const CONNECTION_SECONDS = 150;
/** From which the first and the last third of the minutes are compared. */
const COMPARED_MINUTES = 9;

/** Hides and erases messages, and asks what needs it. */
async function operate(
  { sandbox, random }: ScenarioOptions,
  world: World,
  store: Settings,
  intervalMs: number,
): Promise<void> {
  const { ledger, ending } = world;
  const visitor = new Client(world, AGENTS + 2);
  const command = async (...args: string[]): Promise<boolean> => {
    const { code, output } = await runOperator(sandbox, args, store);
    const isDone = code === 0 || (code === 1 && SPEAKING.has(args[0]!));
    if (!isDone) ledger.violation(`the command ${args[0]} ended with ${code}`, output.slice(0, 500));
    return isDone;
  };
  for (let turn = 0; !ending.aborted; turn++) {
    await sleep(intervalMs, undefined, { signal: ending }).catch(() => undefined);
    const way = ['hide', 'erase', 'status', 'hide', 'reports'][turn % 5]!;
    if (way === 'status' || way === 'reports') {
      await command(way, '--json');
      continue;
    }
    const { id } = ledger.recent[random.below(ledger.recent.length)] ?? {};
    if (id === undefined) continue;
    const removed = ledger.remove(id);
    const confirmed = way === 'hide' ? ['--yes'] : [];
    if (!(await command(way, id, '--reason', 'a trial', ...confirmed))) continue;
    removed(way === 'erase');
    for (const path of [`/api/posts/${id}`, `/posts/${id}`, '/api/feed?limit=100', '/feed.xml'])
      for (const server of [0, 1]) {
        const { status = 0 } = (await visitor.send('a look after a command', server, path)) ?? {};
        if (status === 200 && path.includes(id))
          ledger.violation('a removed message was found', `${path} ${id}`);
      }
  }
}

/** @returns the messages of an export by id, hidden ones too */
async function exported({ sandbox }: ScenarioOptions, store: Settings): Promise<Map<string, string>> {
  const file = join(await sandbox.createFolder(), 'export.jsonl');
  const { code, output } = await runOperator(sandbox, ['export', file], store);
  if (code !== 0) throw new Error(`export: ${output.slice(0, 500)}`);
  const messages = new Map<string, string>();
  for await (const line of createInterface(createReadStream(file))) {
    const { post } = JSON.parse(line) as { post?: { id: string; message?: string } };
    if (post?.message !== undefined) messages.set(post.id, post.message);
  }
  return messages;
}

function expectErased(folder: string, { ledger }: World): void {
  const tokens = ledger.erasedTokens();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (!statSync(path).isFile()) continue;
    const bytes = readFileSync(path);
    for (const token of tokens)
      if (bytes.includes(token)) ledger.violation('a file has an erased text', `${name} ${token}`);
  }
}

/** Once nobody writes any more. */
async function audit(
  options: ScenarioOptions,
  world: World,
  followers: readonly Follower[],
  store: Settings,
): Promise<void> {
  const { ledger, instances } = world;
  for (const [number, follower] of followers.entries())
    if (!(await follower.catchUp()))
      ledger.violation('a follower did not reach the end', `follower ${number}`);
  const feeds = await Promise.all(instances.all.map(({ url }) => readFeed(url)));
  for (const [number, { posts }] of feeds.entries()) {
    ledger.auditFeed(posts, `server ${number + 1}`);
    for (const { id } of posts)
      if (!followers.every(({ seen }) => seen.has(id))) ledger.violation('a follower missed a message', id);
  }
  const [first, second] = feeds.map(({ posts }) => JSON.stringify(posts.map(({ id }) => id)));
  if (first !== second) ledger.violation('the servers have different feeds');
  ledger.auditStore(await exported(options, store));
  const { output } = await runOperator(options.sandbox, ['reports', '--json'], store);
  const listed = new Set((JSON.parse(output) as { items: { id: string }[] }).items.map(({ id }) => id));
  for (const id of ledger.reported)
    if (ledger.isVisible(id) && !listed.has(id)) ledger.violation('an acknowledged report is missing', id);
}

async function live(
  options: ScenarioOptions,
  store: Settings,
  minutes: number,
  { minuteMs, operatorMs, ...pace }: typeof PACE,
): Promise<string> {
  const { sandbox, tally, random, log, isShort } = options;
  const run = 1 + random.below(1_000_000);
  const ledger = new Ledger(tally, log);
  const settings = { ...store, ...LIMITS, TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'warn' };
  const instances = await Instances.start(sandbox, settings);
  const baseline = instances.descriptors;
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const timings = new Timings();
  const world: World = { ledger, instances, timings, ending: ending.signal };
  const followers = [0, 1].map((n) => new Follower(world, new Client(world, AGENTS + n), n === 1));
  const living = Promise.all([
    ...Array.from({ length: AGENTS }, (_, number) => new Agent(world, number, run).live()),
    ...followers.map((follower, number) => follower.follow(new SeededRandom(run + number))),
    operate(options, world, store, operatorMs),
    instances.disturb(new SeededRandom(run), ledger, pace, ending.signal),
  ]);
  // Awaited below, also if it fails before that.
  living.catch(() => {
    ending.abort();
  });
  let most = 0;
  for (; tally.rounds < minutes && !ending.signal.aborted; tally.rounds++) {
    await sleep(minuteMs, undefined, { signal: ending.signal }).catch(() => undefined);
    const { megabytes, descriptors } = instances.sample();
    most = Math.max(most, descriptors);
    const own = Math.round(process.memoryUsage().rss / 2 ** 20);
    log(
      `minute ${tally.rounds + 1} of ${minutes}: ${ledger.acknowledged} messages, ${ledger.repeats} repeats, ` +
        `${timings.count} calls, ${instances.disturbances} stops and kills, servers ${megabytes} MB and ` +
        `${descriptors} descriptors, this program ${own} MB, ${ledger.violations} violations`,
    );
  }
  ending.abort();
  await living;
  await audit(options, world, followers, store);
  const hasClosed = async (): Promise<boolean> => instances.descriptors <= baseline + OPENED_LATER;
  if (!isShort && !(await waitUntil(CONNECTION_SECONDS, hasClosed)))
    tally.expect(false, `${instances.descriptors} descriptors stay open, after ${baseline}`);
  for (const instance of instances.all) await instance.end('SIGTERM', ledger);
  const { code, output } = await runOperator(sandbox, ['check'], store);
  tally.expect(code === 0, `check ended with ${code}: ${output.slice(0, 300)}`);
  if (store['DATA_DIR'] !== undefined) expectErased(store['DATA_DIR'], world);
  tally.expect(most <= MAX_DESCRIPTORS, `a server had ${most} descriptors`);
  const [from, to] = instances.trend();
  if (!isShort && minutes >= COMPARED_MINUTES) {
    const { factor, megabytes } = RESIDENT_GROWTH;
    const isLevel = to.megabytes <= factor * from.megabytes + megabytes;
    tally.expect(isLevel, `a server grew from ${from.megabytes} to ${to.megabytes} MB`);
    const isFlat = to.descriptors <= factor * from.descriptors + OPENED_LATER;
    tally.expect(isFlat, `descriptors grew from ${from.descriptors} to ${to.descriptors}`);
  }
  const { hidden, erased } = ledger.removed;
  log(`longest calls of a server that ran: ${timings.longest('undisturbed')}`);
  log(`longest calls of a server that was stopped or killed: ${timings.longest('disturbed')}`);
  log(`refused: ${ledger.refusals}`);
  return (
    `${ledger.acknowledged} messages of ${AGENTS} agents, ${ledger.repeats} repeats, ${hidden} hidden, ` +
    `${erased} erased, ${instances.disturbances} stops and kills; servers ${from.megabytes} to ` +
    `${to.megabytes} MB, ${from.descriptors} to ${to.descriptors} descriptors; slowest start ` +
    `${instances.slowestStart.toFixed(1)} s; longest call ${timings.longest('undisturbed').split(',')[0]}, ` +
    `of a stopped server ${timings.longest('disturbed').split(',')[0]}`
  );
}

async function run(options: ScenarioOptions, store: Settings): Promise<Outcome> {
  const { isShort, rounds, tally } = options;
  return tally.outcome(await live(options, store, rounds, isShort ? SHORT_PACE : PACE));
}

const DESCRIPTION = `${AGENTS} agents, an operator and two followers with two servers on one`;
const COMMON = { requirements: ['signals', 'procfs'], rounds: 5, maxSecondsPerRound: 120 } as const;

export const living: Scenario = {
  ...COMMON,
  name: 'living',
  description: `${DESCRIPTION} folder, of which one is stopped or killed every 45 s; a round is a minute`,
  run: async (options) => run(options, { DATA_DIR: await options.sandbox.createFolder() }),
};

export const postgresLiving: Scenario = {
  ...COMMON,
  name: 'postgres-living',
  description: `${DESCRIPTION} PostgreSQL, of which one is stopped or killed every 45 s; a round is a minute`,
  run: async (options) => run(options, { DATABASE_URL: (await Database.create(options.sandbox)).url }),
};
