import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { Database } from './support/database.ts';
import { LoadClients, stopAll } from './support/postgres-clients.ts';
import { WriteRecorder } from './support/write-recorder.ts';

const INSTANCES = 3;
const POLL_MS = 50;

async function run({ rounds, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const database = await Database.create(sandbox);
  const proxy = await CuttingProxy.open(sandbox, database.url, random);
  const servers = await database.serveInstances(INSTANCES, proxy.url);
  proxy.isCutting = true;
  const clients = new LoadClients({ recorder: new WriteRecorder(random), random, tally, servers });
  while (proxy.cuts < rounds) {
    await sleep(POLL_MS);
    if (Math.floor(proxy.cuts / 100) > Math.floor(tally.rounds / 100)) log(`${proxy.cuts} of ${rounds}`);
    tally.rounds = proxy.cuts;
  }
  proxy.isCutting = false;
  const seconds = await clients.recover();
  await stopAll(servers, tally);
  return tally.outcome(`${clients.summary}; every instance stored a write ${seconds} s after the last cut`);
}

export const postgresCuts: Scenario = {
  name: 'postgres-cuts',
  description:
    'three instances on one PostgreSQL, each of whose connections is cut at a random byte of its writes; a round is a cut',
  rounds: 300,
  maxSecondsPerRound: 3,
  run,
};
