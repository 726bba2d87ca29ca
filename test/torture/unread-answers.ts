import { setTimeout as sleep } from 'node:timers/promises';
import { overRest } from './support/publish.ts';
import { clientNetwork, type ClientNetwork } from './support/client-network.ts';
import { openUnreadConnections } from './support/unread-clients.ts';
import { attack, type Bounds } from './support/attack.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const CONNECTIONS = 600;
const PAGE = '/api/feed?limit=100';
const POSTS = 100;
const CLIENT = '203.0.113.5';

/** Opening takes 30 s; a response without progress is ended after another 30 s. */
const WAIT_MS = 75_000;
/** Descriptors of the bystander and of the memory probe. */
const OTHER_DESCRIPTORS = 20;
const SETTLE_MS = 2000;

/**
 * One client may leave 64 MB unread, in buffers that may count twice while they are copied. Once the
 * responses have ended, only the cached page is left.
 */
const BOUNDS: Bounds = { peakRss: 400 * 2 ** 20, growth: 48 * 2 ** 20, descriptors: 10 };

/**
 * A trusted proxy may open any number of connections, another peer 200; the bounds of unread bytes are the
 * same.
 */
const CASES: readonly (readonly [label: string, trustedProxies: (network: ClientNetwork) => string])[] = [
  ['behind a trusted proxy', ({ peer }) => peer],
  ['of one peer', () => '192.0.2.1'],
];

async function run({ sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const network = clientNetwork(sandbox);
  const remarks: string[] = [];
  for (const [label, trustedProxies] of CASES) {
    if (network.missingRequirement !== undefined && trustedProxies(network) !== network.peer) {
      remarks.push(`${label}: not run, ${network.missingRequirement}`);
      continue;
    }
    log(label);
    const remark = await attack(sandbox, tally, {
      settings: { HOST: network.host, TRUSTED_PROXIES: trustedProxies(network) },
      bounds: BOUNDS,
      prepare: async ({ url }) => {
        for (let n = 0; n < POSTS; n++) await overRest(url)(`${n} ${'\u{1F600}'.repeat(7990)}`);
      },
      run: async ({ server, before, measure }) => {
        const closeConnections = openUnreadConnections(sandbox, network, {
          url: server.url,
          count: CONNECTIONS,
          path: PAGE,
          client: CLIENT,
        });
        await sleep(WAIT_MS);
        const openDescriptors = (await measure()).descriptors - before.descriptors;
        await closeConnections();
        await sleep(SETTLE_MS);
        tally.expect(
          openDescriptors <= OTHER_DESCRIPTORS,
          `${label}: ${openDescriptors} descriptors were still open`,
        );
        return `${label}: ${CONNECTIONS} responses of 3.2 MB not read`;
      },
    });
    remarks.push(remark);
  }
  return tally.outcome(remarks.join('; '));
}

export const unreadAnswers: Scenario = {
  name: 'unread-answers',
  description:
    '600 connections that read nothing of 3.2 MB each: bounded memory, a bystander is served, the responses are ended',
  requirements: ['signals', 'procfs'],
  rounds: 1,
  maxSecondsPerRound: 300,
  run,
};
