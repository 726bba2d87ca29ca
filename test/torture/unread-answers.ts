import { setTimeout as sleep } from 'node:timers/promises';
import { overRest } from './support/publish.ts';
import { clientNetwork, type ClientNetwork } from './support/client-network.ts';
import { readNothing } from './support/unread-clients.ts';
import { attack, type Bounds } from './support/attack.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const CONNECTIONS = 600;
const PAGE = '/api/feed?limit=100';
const POSTS = 100;
const CLIENT = '203.0.113.5';

/** Opening takes 30 s; an answer without progress ends after another 30. */
const HELD_MS = 75_000;
/** Those of the bystander, and of the collection. */
const OTHER_DESCRIPTORS = 20;
const SETTLE_MS = 2000;

/**
 * One client may leave 64 MB unread, in buffers that the system may count twice while they are copied. Once the
 * answers have ended, only the cached page is left.
 */
const BOUNDS: Bounds = { peakRss: 400 * 2 ** 20, growth: 48 * 2 ** 20, descriptors: 10 };

/** A proxy may open any number of connections; a peer that is none may open 200, and its answers have the same bounds. */
const CASES: readonly (readonly [what: string, trusts: (network: ClientNetwork) => string])[] = [
  ['behind a trusted proxy', ({ peer }) => peer],
  ['of one peer', () => '192.0.2.1'],
];

async function run({ place, tally, tell }: Options): Promise<Outcome> {
  const network = clientNetwork(place);
  const remarks: string[] = [];
  for (const [what, trusts] of CASES) {
    if (network.missing !== undefined && trusts(network) !== network.peer) {
      remarks.push(`${what}: not run, ${network.missing}`);
      continue;
    }
    tell(what);
    const remark = await attack(place, tally, {
      settings: { HOST: network.host, TRUSTED_PROXIES: trusts(network) },
      bounds: BOUNDS,
      prepare: async ({ url }) => {
        for (let n = 0; n < POSTS; n++) await overRest(url)(`${n} ${'\u{1F600}'.repeat(7990)}`);
      },
      run: async ({ server, before, measure }) => {
        const end = readNothing(place, network, {
          url: server.url,
          count: CONNECTIONS,
          path: PAGE,
          client: CLIENT,
        });
        await sleep(HELD_MS);
        const held = (await measure()).descriptors - before.descriptors;
        await end();
        await sleep(SETTLE_MS);
        tally.expect(held <= OTHER_DESCRIPTORS, `${what}: ${held} descriptors were still held`);
        return `${what}: ${CONNECTIONS} answers of 3.2 MB not read`;
      },
    });
    remarks.push(remark);
  }
  return tally.outcome(remarks.join('; '));
}

export const unreadAnswers: TorturePromise = {
  name: 'unread-answers',
  does: '600 connections that read nothing of 3.2 MB each: memory is bounded, others are served, the answers are ended',
  needs: ['signals', 'procfs'],
  rounds: 1,
  seconds: 300,
  run,
};
