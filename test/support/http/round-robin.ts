import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

interface Cleanup {
  after: (fn: () => void) => void;
}

/** Starts a TCP load balancer that connects each client to the next server. @returns its URL */
export async function roundRobin(test: Cleanup, urls: readonly string[]): Promise<string> {
  const open = new Set<Socket>();
  let next = 0;
  const server = createServer((client) => {
    const { hostname, port } = new URL(urls[next++ % urls.length]!);
    const upstream = connect(Number(port), hostname);
    for (const [source, target] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(source);
      source
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(source);
          target.destroy();
        });
      source.pipe(target);
    }
  });
  test.after(() => {
    for (const socket of open) socket.destroy();
  });
  return listen(test, server);
}
