import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { attack, type Bounds } from './support/attack.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const STREAMS = 2000;
const BATCH_SIZE = 50;
/** Garbage is collected while streams are open, which must not close them. */
const COLLECT_EVERY = 100;
/** Each may have 50 streams. */
const CLIENTS = 100;
const RESPONSE_TIMEOUT_MS = 10_000;
const SETTLE_MS = 1000;

/** Streams leave nothing behind; the growth is the SDK, which the first calls load. */
const BOUNDS: Bounds = { peakRss: 300 * 2 ** 20, growth: 24 * 2 ** 20, descriptors: 10 };

const LIMITED_FILES = ['sh', '-c', 'ulimit -n 1024 && exec "$0" "$@"'];

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: {
    notifications: { resourceSubscriptions: ['porchlight://feed'] },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'torture', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

const requestOf = (client: number): string =>
  [
    'POST /mcp HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'Mcp-Protocol-Version: 2026-07-28',
    'Mcp-Method: subscriptions/listen',
    `X-Forwarded-For: 203.0.113.${client}`,
    `Content-Length: ${BODY.length}`,
    '',
    BODY,
  ].join('\r\n');

interface Stream {
  readonly isServed: boolean;
  close: () => void;
}

/** Settles when the stream has begun or was rejected. */
function open(url: string, client: number): Promise<Stream> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    const settle = (): void => {
      const isServed =
        text.includes('text/event-stream') && text.includes('data:') && !text.includes('"error"');
      resolve({ isServed, close: () => socket.destroy() });
    };
    socket
      .setEncoding('utf8')
      .setTimeout(RESPONSE_TIMEOUT_MS, settle)
      .on('error', settle)
      .on('close', settle);
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (/data:|"error"/.test(text)) settle();
    });
    socket.write(requestOf(client));
  });
}

async function run({ sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const remark = await attack(sandbox, tally, {
    settings: { TRUSTED_PROXIES: '127.0.0.1' },
    launchOptions: { wrapper: LIMITED_FILES },
    bounds: BOUNDS,
    prepare: async ({ url }) => {
      (await open(url, 1)).close();
    },
    run: async ({ server, measure }) => {
      let rejected = 0;
      for (let opened = 0; opened < STREAMS; opened += BATCH_SIZE) {
        const streams = await Promise.all(
          Array.from({ length: BATCH_SIZE }, (_, n) => open(server.url, (opened + n) % CLIENTS)),
        );
        if (opened % COLLECT_EVERY === 0) await measure();
        for (const { isServed, close } of streams) {
          rejected += isServed ? 0 : 1;
          close();
        }
      }
      await sleep(SETTLE_MS);
      log(`${rejected} of ${STREAMS} rejected`);
      tally.expect(rejected === 0, `${rejected} of ${STREAMS} streams were rejected`);
      return `${STREAMS} streams opened and closed`;
    },
  });
  return tally.outcome(remark);
}

export const streamChurn: Scenario = {
  name: 'stream-churn',
  description:
    '2,000 notification streams opened and closed under ulimit -n 1024: all are served, and none stays open',
  requirements: ['signals', 'procfs'],
  rounds: 1,
  maxSecondsPerRound: 300,
  run,
};
