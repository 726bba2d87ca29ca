import { setTimeout as sleep } from 'node:timers/promises';
import { WriteRecorder } from './support/write-recorder.ts';
import { readFeed } from './support/feed.ts';
import { ResponseStats, stopAll } from './support/postgres-clients.ts';
import { Database, killBackends } from './support/database.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const LIMIT = 24;
const CONCURRENT_POSTS = 120;
const INSTANCES = 3;
const MAX_UPTIME_MS = 300;
const FAULTS = ['none', 'instance', 'backends'] as const;

/** @returns an address in the network of this round */
const clientAddress = (round: number, n: number): string =>
  `2001:db8:ffff:${round.toString(16)}::${n.toString(16)}`;

async function run({ rounds, random, sandbox, tally }: ScenarioOptions): Promise<Outcome> {
  const database = await Database.create(sandbox);
  const servers = await database.serveInstances(INSTANCES);
  const killer = await database.connect();
  const [recorder, responses] = [new WriteRecorder(random), new ResponseStats(tally)];
  let unanswered = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    const fault = FAULTS[tally.rounds % FAULTS.length];
    const victim = random.below(INSTANCES);
    const [known, acknowledged] = [(await readFeed(servers[0]!.url)).total, recorder.acknowledged];
    const send = (n: number) => {
      const { url } = servers[n % INSTANCES]!;
      return recorder.send(responses.overRest(url, clientAddress(tally.rounds, n)));
    };
    const sent = Array.from({ length: CONCURRENT_POSTS }, (_, n) => send(n));
    await sleep(random.below(MAX_UPTIME_MS));
    if (fault === 'instance') await servers[victim]!.end('SIGKILL');
    if (fault === 'backends') await killBackends(killer);
    const replies = await Promise.all(sent);
    if (fault === 'instance') [servers[victim]] = (await database.serveInstances(1)) as [(typeof servers)[0]];
    const unknown = replies.filter((reply) => reply === undefined).length;
    unanswered += unknown;
    tally.expect(fault === 'instance' || unknown === 0, 'an instance sent no response');
    const accepted = recorder.acknowledged - acknowledged;
    const stored = (await readFeed(servers[0]!.url)).total - known;
    tally.expect(stored === LIMIT, `${stored} posts were stored instead of ${LIMIT}`);
    tally.expect(
      accepted <= stored && accepted + unknown >= stored,
      `${accepted} acknowledged and ${unknown} without a response, but ${stored} stored`,
    );
    const later = await Promise.all(servers.map((_, n) => send(CONCURRENT_POSTS + n)));
    tally.expect(
      later.every((reply) => reply?.code === 'rate_limited'),
      'the limit accepted more posts',
    );
    for (const { url } of servers) await recorder.audit(url, tally);
  }
  await stopAll(servers, tally);
  return tally.outcome(
    `exactly ${LIMIT} of ${CONCURRENT_POSTS} at once, ${recorder.acknowledged} acknowledged, ${unanswered} without a response from an instance that ` +
      `was killed; slowest ${responses.slowest} s`,
  );
}

export const postgresLimits: Scenario = {
  name: 'postgres-limits',
  description:
    '120 posts of one network at once over three instances, also with one killed or all backends ended in the middle',
  requirements: ['signals'],
  rounds: 12,
  maxSecondsPerRound: 30,
  run,
};
