import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

interface Closing {
  readonly after: (fn: () => void) => void;
}

/** Listens on a free port of this machine until the test ends. @returns the address */
export async function listen(
  t: Closing,
  server: Server & { readonly closeAllConnections?: () => void },
): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
