import { WriteRecorder, LoadGenerator } from './support/write-recorder.ts';
import { overMcp, overRest, overStdio, type Post, type Publish } from './support/publish.ts';
import { readFeed } from './support/feed.ts';
import type { Server } from './support/server.ts';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const LIMIT = 24;
const POSTS_EACH = 16;
const WRITES = 1500;

interface Processes {
  readonly http: Server;
  readonly clients: readonly Client[];
  readonly writes: readonly Publish[];
}

async function start(
  { sandbox }: ScenarioOptions,
  settings: Readonly<Record<string, string>>,
): Promise<Processes> {
  // All at the same time on an empty folder: only one of them creates the store.
  const [http, ...agents] = await Promise.all([
    sandbox.serve(settings),
    ...[1, 2, 3].map(() => sandbox.launchStdio(settings)),
  ]);
  const clients = agents.map(({ client }) => client);
  return { http, clients, writes: [overRest(http.url), overMcp(http.url), ...clients.map(overStdio)] };
}

async function stop({ http, clients }: Processes): Promise<void> {
  for (const client of clients) await client.close();
  await http.end('SIGTERM');
}

/** Of many concurrent posts over every surface of every process exactly as many as the limit are stored. */
async function checkSharedLimit(options: ScenarioOptions): Promise<void> {
  const { random, tally, sandbox } = options;
  const [folder, recorder] = [await sandbox.createFolder(), new WriteRecorder(random)];
  const processes = await start(options, { DATA_DIR: folder });
  const replies = await Promise.all(
    processes.writes.flatMap((write) => Array.from({ length: POSTS_EACH }, () => recorder.send(write))),
  );
  tally.expect(
    recorder.acknowledged === LIMIT,
    `${recorder.acknowledged} posts were accepted instead of ${LIMIT}`,
  );
  const rejected = replies.filter((reply) => reply?.post === undefined);
  tally.expect(
    rejected.every((reply) => reply?.code === 'rate_limited' && reply.retryAfter! > 0),
    'a rejection was not rate_limited',
  );
  await recorder.audit(processes.http.url, tally);
  await stop(processes);
  const again = await sandbox.serve({ DATA_DIR: folder });
  tally.expect(
    (await recorder.send(overRest(again.url)))?.code === 'rate_limited',
    'a restart reset the limit',
  );
  await recorder.audit(again.url, tally);
  await again.end('SIGTERM');
  tally.rounds += 1;
}

async function readFeedOverStdio(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for (let before: string | null | undefined; before !== null && ids.length <= WRITES * 2; ) {
    const query = { limit: 100, ...(before !== undefined && { before }) };
    const { structuredContent } = await client.callTool({ name: 'read_feed', arguments: query });
    const page = structuredContent as { nextBefore: string | null; messages: Post[] };
    ids.push(...page.messages.map(({ id }) => id));
    before = page.nextBefore;
  }
  return ids;
}

/** Every write is stored, and every process returns the same order. */
async function checkSharedOrder(options: ScenarioOptions): Promise<number> {
  const { random, tally, sandbox } = options;
  const recorder = new WriteRecorder(random);
  const processes = await start(options, {
    DATA_DIR: await sandbox.createFolder(),
    FEED_POSTS_PER_HOUR: '0',
  });
  const load = new LoadGenerator(
    recorder,
    processes.writes.flatMap((write) => [write, write, write]),
    WRITES,
  );
  await load.ended;
  tally.expect(recorder.acknowledged === WRITES, `${WRITES - recorder.acknowledged} writes were rejected`);
  await recorder.audit(processes.http.url, tally);
  const order = (await readFeed(processes.http.url)).posts.map(({ id }) => id).join();
  for (const client of processes.clients) {
    tally.expect((await readFeedOverStdio(client)).join() === order, 'two processes return different orders');
  }
  await stop(processes);
  tally.rounds += 1;
  return recorder.acknowledged;
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  let acknowledged = 0;
  for (let round = 0; round < options.rounds; round++) {
    await checkSharedLimit(options);
    acknowledged += await checkSharedOrder(options);
  }
  return options.tally.outcome(
    `exactly ${LIMIT} of ${POSTS_EACH * 5} under the limit; ${acknowledged} acknowledged without it`,
  );
}

export const processes: Scenario = {
  name: 'processes',
  description: 'one HTTP and three stdio servers write at once, with the limit of 24 and without any',
  rounds: 1,
  maxSecondsPerRound: 120,
  run,
};
