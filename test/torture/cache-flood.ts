import { flood, type FloodRequest } from './support/flood.ts';
import { overRest } from './support/publish.ts';
import { attack, type Bounds } from './support/attack.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

/** The result cache holds 84 MB by its own estimate; the rest is garbage that V8 has not collected. */
const BOUNDS: Bounds = { peakRss: 400 * 2 ** 20, growth: 100_000_000, descriptors: 10 };

const POSTS = 40;
const MINUTE_MS = 60_000;

/** @returns a unique query of this length */
const padding = (n: number, length: number): string => `j${n}=`.padEnd(length, 'x');

const read =
  (path: string) =>
  (n: number): FloodRequest => ({ method: 'GET', path: `${path}?${padding(n, 7900)}` });

const mcp = (message: object, accept = 'application/json, text/event-stream'): FloodRequest => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
  return {
    method: 'POST',
    path: '/mcp',
    headers: { 'Content-Type': 'application/json', 'Content-Length': String(body.length), Accept: accept },
    body,
  };
};

const toolCall = (name: string, args: object, more: object = {}): object => ({
  method: 'tools/call',
  params: { name, arguments: args, ...more },
});

/** @returns a cursor that no other call returns, so that each is a page of its own */
const cursor = (n: number): string => new Date(Date.UTC(2030, 0, 1) + n * MINUTE_MS).toISOString();

const FLOODS: readonly (readonly [
  description: string,
  count: number,
  createRequest: (n: number) => FloodRequest,
])[] = [
  ['/api/moderation with a query of 7,900 characters', 30_000, read('/api/moderation')],
  ['/api/feed with such a query', 5000, read('/api/feed')],
  ['/feed.xml with such a query', 1000, read('/feed.xml')],
  [
    'MCP bodies of 3,900 bytes with an Accept header of 11,000',
    15_000,
    (n) =>
      mcp(
        toolCall('read_guestbook', {}, { _meta: { [padding(n, 3700)]: 1 } }),
        `application/json, text/event-stream, ${padding(n, 11_000)}/x`,
      ),
  ],
  [
    'arguments of read tools over REST',
    10_000,
    (n) => ({ method: 'GET', path: `/api/feed?before=${cursor(n)}` }),
  ],
  ['arguments of read tools over MCP', 10_000, (n) => mcp(toolCall('read_feed', { before: cursor(n) }))],
];

async function run({ sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const remark = await attack(sandbox, tally, {
    settings: {},
    bounds: BOUNDS,
    prepare: async ({ url }) => {
      for (let n = 0; n < POSTS; n++) await overRest(url)(`IDEA: ${n} ${'x'.repeat(500)}`);
    },
    run: async ({ server }) => {
      let sent = 0;
      for (const [description, count, createRequest] of FLOODS) {
        const statuses = await flood(server.url, count, createRequest);
        log(`${description}: ${[...statuses].map((pair) => pair.join(' x ')).join(', ')}`);
        tally.expect(
          statuses.get(200) === count,
          `${description}: ${statuses.get(200) ?? 0} of ${count} got 200`,
        );
        sent += count;
      }
      return `${sent} different reads`;
    },
  });
  return tally.outcome(remark);
}

export const cacheFlood: Scenario = {
  name: 'cache-flood',
  description:
    'tens of thousands of reads that differ in long queries, headers and arguments: bounded memory, a bystander is served',
  requirements: ['signals', 'procfs'],
  rounds: 1,
  maxSecondsPerRound: 600,
  run,
};
