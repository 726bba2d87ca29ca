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
const PACE = { minuteMs: 60_000, intervalMs: 45_000, pauseMs: 10_000, operatorMs: 10_000, agentMs: 3000 };
/** A round among the tests: a server is stopped for longer than a lock lives. */
const SHORT_PACE = { minuteMs: 12_000, intervalMs: 2000, pauseMs: 5000, operatorMs: 1000, agentMs: 1000 };

/** Each agent posts more than a visitor of a public place: the other limits are the default ones. */
const LIMITS = { FEED_POSTS_PER_HOUR: '2000', REPORTS_PER_HOUR: '1000' };

/** From the first to the last third of the minutes. */
const GROWTH = 1.4;
/** What a server keeps of the messages of hours. */
const STORED_MEGABYTES = 80;
/** Log files and connections to the database, which open when they are first used. */
const OPENED_LATER = 25;
/** A server closes an idle connection before. */
const CONNECTION_SECONDS = 150;
/** A shorter run is over before a server has its usual size. */
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
    // `status` ends with 1 if something needs the operator.
    const isDone = code === 0 || (code === 1 && args[0] === 'status');
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

function expectErased(folder: string, ledger: Ledger): void {
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
  const [messages, { output }] = await Promise.all([
    exported(options, store),
    runOperator(options.sandbox, ['reports', '--json'], store),
  ]);
  ledger.auditStore(messages);
  const listed = new Set((JSON.parse(output) as { items: { id: string }[] }).items.map(({ id }) => id));
  for (const id of ledger.reported)
    if (ledger.isVisible(id) && !listed.has(id)) ledger.violation('an acknowledged report is missing', id);
}

/** Expects that memory and descriptors did not grow with time, or by more than the messages explain. */
function expectLevel({ ledger, instances }: World): void {
  const [from, to] = instances.trend();
  if (to.megabytes > GROWTH * from.megabytes + STORED_MEGABYTES)
    ledger.violation('a server grew', `from ${from.megabytes} to ${to.megabytes} MB`);
  if (to.descriptors > GROWTH * from.descriptors + OPENED_LATER)
    ledger.violation('descriptors grew', `from ${from.descriptors} to ${to.descriptors}`);
}

/** After the last call: connections end, the store is whole, and no file has an erased text. */
async function closeDown(
  { sandbox, isShort }: ScenarioOptions,
  { ledger, instances }: World,
  store: Settings,
  baseline: number,
): Promise<void> {
  const hasClosed = async (): Promise<boolean> => instances.descriptors <= baseline + OPENED_LATER;
  if (!isShort && !(await waitUntil(CONNECTION_SECONDS, hasClosed)))
    ledger.violation('descriptors stay open', `${instances.descriptors}, after ${baseline}`);
  for (const instance of instances.all) await instance.end('SIGTERM', ledger);
  const { code, output } = await runOperator(sandbox, ['check'], store);
  if (code !== 0) ledger.violation('check found damage', output.slice(0, 500));
  if (store['DATA_DIR'] !== undefined) expectErased(store['DATA_DIR'], ledger);
}

async function run(options: ScenarioOptions, store: Settings): Promise<Outcome> {
  const { sandbox, tally, random, log, isShort, rounds: minutes } = options;
  const { minuteMs, operatorMs, agentMs, ...pace } = isShort ? SHORT_PACE : PACE;
  const number = 1 + random.below(1_000_000);
  const ledger = new Ledger(tally, log);
  const settings = { ...store, ...LIMITS, TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'warn' };
  const instances = await Instances.start(sandbox, settings);
  const baseline = instances.descriptors;
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const timings = new Timings();
  const world: World = { ledger, instances, timings, ending: ending.signal };
  const followers = [0, 1].map((n) => new Follower(world, new Client(world, AGENTS + n), n === 1));
  const lives = Promise.all([
    ...Array.from({ length: AGENTS }, (_, n) => new Agent(world, n, number).live(agentMs)),
    ...followers.map((follower, n) => follower.follow(new SeededRandom(number + n))),
    operate(options, world, store, operatorMs),
    instances.disturb(new SeededRandom(number), ledger, pace, ending.signal),
  ]);
  // Awaited below, also if it fails before that.
  lives.catch(() => {
    ending.abort();
  });
  for (; tally.rounds < minutes && !ending.signal.aborted; tally.rounds++) {
    await sleep(minuteMs, undefined, { signal: ending.signal }).catch(() => undefined);
    const { megabytes, descriptors } = instances.sample();
    log(
      `minute ${tally.rounds + 1} of ${minutes}: ${ledger.acknowledged} messages, ${ledger.repeats} repeats, ` +
        `${timings.count} calls, ${instances.disturbances} stops and kills, servers ${megabytes} MB and ` +
        `${descriptors} descriptors, this program ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB, ` +
        `${ledger.violations} violations`,
    );
  }
  ending.abort();
  await lives;
  await audit(options, world, followers, store);
  await closeDown(options, world, store, baseline);
  if (minutes >= COMPARED_MINUTES) expectLevel(world);
  log(`longest calls of a server that ran: ${timings.longest('undisturbed').join(', ')}`);
  log(`longest calls of a server that was stopped: ${timings.longest('disturbed').join(', ')}`);
  log(`refused: ${ledger.refusals}`);
  const { hidden, erased } = ledger.removed;
  const [from, to] = instances.trend();
  return tally.outcome(
    `${ledger.acknowledged} messages of ${AGENTS} agents, ${ledger.repeats} repeats, ${hidden} hidden, ` +
      `${erased} erased, ${instances.disturbances} stops and kills; servers ${from.megabytes} to ` +
      `${to.megabytes} MB, ${from.descriptors} to ${to.descriptors} descriptors; slowest start ` +
      `${instances.slowestStart.toFixed(1)} s; longest call ${timings.longest('undisturbed')[0]}, ` +
      `of a stopped server ${timings.longest('disturbed')[0]}`,
  );
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
