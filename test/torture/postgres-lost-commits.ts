import { setTimeout as sleep } from 'node:timers/promises';
import { WriteRecorder } from './support/write-recorder.ts';
import { LoadClients, stopAll } from './support/postgres-clients.ts';
import { FaultProxy, type CommitFault } from './support/fault-proxy.ts';
import { Database } from './support/database.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const INSTANCES = 3;

/** One of so many commits gets a fault. */
const COMMITS_PER_FAULT = 10;

/** Longer than an instance may block the others. */
const MAX_DELAY_MS = 2500;

async function run({ rounds, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const database = await Database.create(sandbox);
  const proxy = await FaultProxy.open(sandbox, database.url);
  const servers = await database.serveInstances(INSTANCES, proxy.url);
  const faults: CommitFault[] = [];
  let commits = 0;
  proxy.atCommit = () => {
    commits += 1;
    if (faults.length >= rounds || random.below(COMMITS_PER_FAULT) > 0) return undefined;
    const fault = (['packet', 'commit', 'response', { delayMs: random.below(MAX_DELAY_MS) }] as const)[
      random.below(4)
    ]!;
    faults.push(fault);
    if (faults.length % 20 === 0) log(`${faults.length} of ${rounds}`);
    return fault;
  };
  const clients = new LoadClients({ recorder: new WriteRecorder(random), random, tally, servers });
  while (faults.length < rounds) await sleep(100);
  tally.rounds = faults.length;
  const seconds = await clients.recover();
  await stopAll(servers, tally);
  const countOf = (kind: CommitFault): number => faults.filter((fault) => fault === kind).length;
  return tally.outcome(
    `of ${commits} commits ${countOf('packet')} lost with their transaction, ${countOf('commit')} alone, ${countOf('response')} without ` +
      `their response, ${faults.filter((fault) => typeof fault === 'object').length} late; ${clients.summary}; every instance stored a write after ${seconds} s`,
  );
}

export const postgresLostCommits: Scenario = {
  name: 'postgres-lost-commits',
  description:
    'connections are cut before or after a commit, or the commit arrives after its sender has disconnected',
  rounds: 80,
  maxSecondsPerRound: 5,
  run,
};
