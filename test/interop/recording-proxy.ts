import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface RecordingProxy {
  readonly port: number;
  /** Everything forwarded so far, in both directions. */
  readonly recorded: () => string;
  readonly close: () => void;
}

/** Starts a TCP proxy to a local port, which forwards bytes unchanged and records them. */
export async function startRecordingProxy(port: number): Promise<RecordingProxy> {
  const sockets = new Set<Socket>();
  let recorded = '';
  const join = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from
      .on('data', (bytes) => {
        recorded += bytes.toString();
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
    recorded: () => recorded,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
