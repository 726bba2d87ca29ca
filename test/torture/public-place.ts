import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { DOMAIN, startCaddy, type Caddy } from './support/caddy.ts';
import { clientNetwork } from './support/client-network.ts';
import { readFeed } from './support/feed.ts';
import { runOperator } from './support/operator.ts';
import { backUp, createPlace, IMAGE_USER } from './support/place.ts';
import { overRest } from './support/publish.ts';
import { runCommand } from './support/sandbox.ts';
import type { Server } from './support/server.ts';
import { LoadGenerator, WriteRecorder } from './support/write-recorder.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';

const WRITERS = 4;
const MAX_GAP_SECONDS = 5;

/** Ports that nothing else of these tests uses. */
const PORTS = { server: 18_787, http: 18_080, https: 18_443 };

const UNLIMITED = { FEED_POSTS_PER_HOUR: '0', WRITES_PER_MINUTE_TOTAL: '0', REQUESTS_PER_MINUTE: '0' };

/** What the first visitors of a place look at. */
async function visit(caddy: Caddy, { tally }: ScenarioOptions): Promise<void> {
  const read = async (path: string): Promise<Response> => caddy.fetch(`${caddy.url}${path}`);
  const page = await read('/');
  tally.expect(
    page.ok && (await page.text()).includes(caddy.url),
    'the page has other addresses than its own',
  );
  tally.expect(page.headers.get('strict-transport-security') !== null, 'HSTS is missing');
  const feed = await (await read('/feed.xml')).text();
  tally.expect(feed.includes(`<link>${caddy.url}`), 'the feed has other addresses than its own');
  const overHttp = [
    `${DOMAIN}:${PORTS.http}:127.0.0.1`,
    '--output',
    '/dev/null',
    '--write-out',
    '%{http_code}',
  ];
  const redirect = runCommand(
    'curl',
    '--silent',
    '--resolve',
    ...overHttp,
    `http://${DOMAIN}:${PORTS.http}/`,
  );
  tally.expect(redirect === '308', `http is answered with ${redirect}`);
  const client = new Client({ name: 'a test', version: '1.0.0' });
  const options = { fetch: caddy.fetch as never };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${caddy.url}/mcp`), options));
  const { isError } = await client.callTool({ name: 'get_started', arguments: {} });
  tally.expect(isError !== true, 'a call over MCP failed');
  await client.close();
}

/** A network that has used its limit is refused, and another is not. */
async function exhaust(caddy: Caddy, { sandbox, tally }: ScenarioOptions): Promise<void> {
  const { wrapper, host } = clientNetwork(sandbox);
  const postFromThere = (n: number): string =>
    runCommand(
      wrapper[0]!,
      ...wrapper.slice(1),
      'curl',
      '--silent',
      ...['--cacert', caddy.authorityFile, '--connect-to', `::${host}:`, '--output', '/dev/null'],
      ...['--write-out', '%{http_code}', '--header', 'Content-Type: application/json'],
      ...[
        '--header',
        `X-Forwarded-For: 192.0.2.${n}`,
        '--data',
        JSON.stringify({ message: `post ${n} from there` }),
      ],
      `${caddy.url}/api/feed`,
    );
  const statuses = Array.from({ length: 26 }, (_, n) => postFromThere(n));
  tally.expect(
    statuses.filter((status) => status === '201').length === 24,
    `another network: ${statuses.join()}`,
  );
  const here = await overRest(caddy.url, caddy.fetch)('from here');
  tally.expect(here.post !== undefined, 'the limit of one network is that of another');
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { rounds, random, sandbox, tally } = options;
  const newPlace = () => createPlace(sandbox, { port: PORTS.server, caddyPort: PORTS.https });
  const first = await newPlace();
  let server = await sandbox.serve(first.settings, { wrapper: first.container });
  const caddy = await startCaddy(sandbox, PORTS.server, PORTS);
  await visit(caddy, options);
  await exhaust(caddy, options);
  await server.end('SIGTERM');

  const place = await newPlace();
  const start = (): Promise<Server> =>
    sandbox.serve({ ...place.settings, ...UNLIMITED }, { wrapper: place.container });
  server = await start();
  const recorder = new WriteRecorder(random);
  let slowest = 0;
  let refused = 0;
  const publish = overRest(caddy.url, caddy.fetch);
  const timed = async (message: string, key?: string) => {
    const from = performance.now();
    const reply = await publish(message, key);
    slowest = Math.max(slowest, (performance.now() - from) / 1000);
    if (reply.post === undefined) refused += 1;
    return reply;
  };
  for (; tally.rounds < rounds; tally.rounds++) {
    const load = new LoadGenerator(
      recorder,
      Array.from({ length: WRITERS }, () => timed),
    );
    await sleep(200 + random.below(300));
    tally.expect((await server.end('SIGTERM')) === 0, 'the server did not stop cleanly');
    server = await start();
    await sleep(200);
    await load.stop();
  }
  tally.expect(slowest <= MAX_GAP_SECONDS, `a write took ${slowest} s`);

  backUp(place);
  const [file = ''] = readdirSync(place.backups);
  tally.expect(/^porchlight-\d{4}-\d\d-\d\d\.jsonl$/.test(file), `the backup is called ${file}`);
  const restored = await sandbox.createFolder();
  const { code, output } = await runOperator(sandbox, ['import', join(place.backups, file)], {
    DATA_DIR: restored,
  });
  tally.expect(code === 0, output);
  const copy = await sandbox.serve({ DATA_DIR: restored });
  // Links begin with the address of each server.
  const [original, copied] = await Promise.all(
    [`http://127.0.0.1:${PORTS.server}`, copy.url].map(async (url) =>
      (await readFeed(url)).posts.map(({ id, message, createdAt }) => [id, message, createdAt]),
    ),
  );
  tally.expect(JSON.stringify(original) === JSON.stringify(copied), 'the restored feed differs');

  for (const name of readdirSync(place.data, { recursive: true, encoding: 'utf8' })) {
    const { uid, mode } = statSync(join(place.data, name));
    tally.expect(uid === IMAGE_USER && (mode & 0o077) === 0, `others may read ${name}`);
  }
  const [, resident = '0'] =
    /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
  await recorder.audit(copy.url, tally, 'news');
  return tally.outcome(
    `${recorder.acknowledged} posts through Caddy over ${tally.rounds} upgrades, ${refused} refused; ` +
      `slowest ${slowest.toFixed(2)} s; ${Math.round(Number(resident) / 1024)} MB resident`,
  );
}

export const publicPlace: Scenario = {
  name: 'public-place',
  description:
    'compose.yaml as plain processes: its Caddy, user, file system, settings and backup; upgrades under load',
  requirements: ['signals', 'root', 'netns', 'procfs', 'caddy'],
  rounds: 5,
  maxSecondsPerRound: 60,
  run,
};
