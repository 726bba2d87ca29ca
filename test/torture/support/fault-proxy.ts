import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Sandbox } from './sandbox.ts';

/** The text of a simple query `commit` on the wire; a type byte and a length of four bytes precede it. */
const COMMIT = Buffer.from('commit\0');
const MESSAGE_HEADER_BYTES = 5;

/**
 * The fate of a packet with a commit; its sender always loses the connection. `packet`: all of it is lost.
 * `commit`: the commit is lost. `response`: the response is lost. `delayMs`: the commit arrives so much
 * later.
 */
export type CommitFault = 'packet' | 'commit' | 'response' | { readonly delayMs: number };

/** A TCP proxy to the database that can pause, and break connections around a commit. */
export class FaultProxy {
  /**
   * Called for every commit. Undefined forwards it, a promise forwards it once settled, a fault breaks the
   * connection.
   */
  atCommit: () => CommitFault | Promise<void> | undefined = () => undefined;
  readonly #target: URL;
  #url = '';
  #isSilent = false;
  readonly #sockets = new Set<Socket>();

  private constructor(targetUrl: string) {
    this.#target = new URL(targetUrl);
  }

  static async open(sandbox: Sandbox, targetUrl: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(targetUrl);
    const server = createServer((client) => {
      proxy.#forward(client);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const url = new URL(targetUrl);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    proxy.#url = url.href;
    sandbox.defer(() => {
      server.close();
      proxy.destroyConnections();
    });
    return proxy;
  }

  get url(): string {
    return this.#url;
  }

  /** Stops forwarding; connections stay open. */
  pause(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Forwards again, beginning with the delayed bytes. */
  resume(): void {
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Destroys all connections with their delayed bytes; new ones are forwarded. */
  destroyConnections(): void {
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    let isCut = false;
    let previous = Promise.resolve();
    const forwardBytes = async (bytes: Buffer): Promise<void> => {
      const at = bytes.indexOf(COMMIT);
      const fault = at < 0 ? undefined : this.atCommit();
      if (fault === undefined || fault instanceof Promise) {
        await fault;
        if (!isCut) server.write(bytes);
        return;
      }
      isCut = true;
      client.destroy();
      if (fault === 'packet') server.destroy();
      else if (fault === 'commit') server.end(bytes.subarray(0, at - MESSAGE_HEADER_BYTES));
      else if (fault === 'response') server.end(bytes);
      else setTimeout(() => server.end(bytes), fault.delayMs);
    };
    client.on('data', (bytes: Buffer) => {
      previous = previous.then(() => forwardBytes(bytes));
    });
    server.on('data', (bytes) => client.write(bytes));
    client.on('close', () => {
      if (!isCut) void previous.then(() => server.destroy());
    });
    server.on('close', () => client.destroy());
    for (const socket of [client, server]) this.#track(socket);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    if (this.#isSilent) socket.pause();
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
