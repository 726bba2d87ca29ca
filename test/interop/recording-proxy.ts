import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** All that passed so far, both ways. */
  readonly heard: () => string;
  readonly close: () => void;
}

/** Stands between a client and the service on that port, and changes nothing. */
export async function relayTo(port: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let heard = '';
  const join = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from
      .on('data', (bytes) => {
        heard += bytes.toString();
      })
      .pipe(to);
    from.on('error', () => {
      to.destroy();
    });
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1');
    join(client, service);
    join(service, client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => heard,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
