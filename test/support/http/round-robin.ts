import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

interface Cleanup {
  after: (fn: () => Promise<void>) => void;
}

/** A plain balancer: each connection goes to the next server, whatever it is for. @returns its address */
export async function roundRobin(test: Cleanup, urls: readonly string[]): Promise<string> {
  const open = new Set<Socket>();
  let next = 0;
  const server = createServer((near) => {
    const { hostname, port } = new URL(urls[next++ % urls.length]!);
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(async () => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
