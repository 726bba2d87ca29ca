import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

interface Forwarding {
  /** @returns the URL of the server of the next connection */
  readonly next: () => string;
  /** Gets every chunk of bytes, of both directions. */
  readonly onData?: (bytes: Buffer) => void;
}

/** Starts a TCP proxy that forwards bytes unchanged. @returns its URL */
export async function forwardTcp(
  test: Parameters<typeof listen>[0],
  { next, onData = () => undefined }: Forwarding,
): Promise<string> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const { hostname, port } = new URL(next());
    const upstream = connect(Number(port), hostname);
    for (const [source, target] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(source);
      source
        .on('data', onData)
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

/** Starts a TCP load balancer that connects each client to the next server. @returns its URL */
export function roundRobin(test: Parameters<typeof listen>[0], urls: readonly string[]): Promise<string> {
  let count = 0;
  return forwardTcp(test, { next: () => urls[count++ % urls.length]! });
}
