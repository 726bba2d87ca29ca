import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { attack, type Bounds } from './support/attack.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const STREAMS = 2000;
const TOGETHER = 50;
/** While so many streams are open there is a major collection, which must not part a stream from its client. */
const COLLECT_EVERY = 100;
/** A client may have 50. */
const CLIENTS = 100;
const ANSWER_MS = 10_000;
const SETTLE_MS = 1000;

/** Nothing of a stream stays: some memory is that of the first calls of the SDK, which is loaded by them. */
const BOUNDS: Bounds = { peakRss: 300 * 2 ** 20, growth: 24 * 2 ** 20, descriptors: 10 };

const FEW_FILES = ['sh', '-c', 'ulimit -n 1024 && exec "$0" "$@"'];

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
  leave: () => void;
}

/** Opens a stream, and waits until it has begun or was refused. */
function open(url: string, client: number): Promise<Stream> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    const settle = (): void => {
      const isServed =
        text.includes('text/event-stream') && text.includes('data:') && !text.includes('"error"');
      resolve({ isServed, leave: () => socket.destroy() });
    };
    socket.setEncoding('utf8').setTimeout(ANSWER_MS, settle).on('error', settle).on('close', settle);
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (/data:|"error"/.test(text)) settle();
    });
    socket.write(requestOf(client));
  });
}

async function run({ place, tally, tell }: Options): Promise<Outcome> {
  const remark = await attack(place, tally, {
    settings: { TRUSTED_PROXIES: '127.0.0.1' },
    way: { behind: FEW_FILES },
    bounds: BOUNDS,
    prepare: async ({ url }) => {
      (await open(url, 1)).leave();
    },
    run: async ({ server, measure }) => {
      let refused = 0;
      for (let opened = 0; opened < STREAMS; opened += TOGETHER) {
        const streams = await Promise.all(
          Array.from({ length: TOGETHER }, (_, n) => open(server.url, (opened + n) % CLIENTS)),
        );
        if (opened % COLLECT_EVERY === 0) await measure();
        for (const { isServed, leave } of streams) {
          refused += isServed ? 0 : 1;
          leave();
        }
      }
      await sleep(SETTLE_MS);
      tell(`${refused} of ${STREAMS} refused`);
      tally.expect(refused === 0, `${refused} of ${STREAMS} streams were refused`);
      return `${STREAMS} streams opened and closed`;
    },
  });
  return tally.outcome(remark);
}

export const streamChurn: TorturePromise = {
  name: 'stream-churn',
  does: '2,000 streams of notices opened and closed under ulimit -n 1024: all are served, and none stays',
  needs: ['signals', 'procfs'],
  rounds: 1,
  seconds: 300,
  run,
};
