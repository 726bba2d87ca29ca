import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

interface Cleanup {
  after: (fn: () => Promise<void>) => void;
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
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(async () => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
