import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { listen } from './http/listen.ts';

/** How a plain `commit` looks on the wire. */
const COMMIT = Buffer.from('commit\0');

/** A way to a server, such as a database, that a test can hold up and cut. */
export class Proxy {
  /** How many connections it has refused. */
  refused = 0;
  /**
   * Cuts the next commit off: before the database receives it, or before the client receives the response.
   */
  cutAtCommit: 'before' | 'after' | undefined;
  /** Called when a commit was cut. */
  onCut: () => void = () => undefined;
  /** The next connection that sends this text stays open, and carries nothing from then on. */
  silentAt: string | undefined;
  #state: 'open' | 'refusing' | 'silent' = 'open';
  #url = '';
  readonly #service: URL;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((near) => {
    this.#join(near);
  });

  private constructor(service: URL) {
    this.#service = service;
  }

  /** @param address of the server */
  static async open(t: TestContext, address: string): Promise<Proxy> {
    const proxy = new Proxy(new URL(address));
    const url = new URL(address);
    url.host = new URL(await listen(t, proxy.#server)).host;
    proxy.#url = url.href;
    t.after(() => {
      proxy.cut();
    });
    return proxy;
  }

  get url(): string {
    return this.#url;
  }

  /** Stops all traffic. Connections stay open. */
  silence(): void {
    this.#state = 'silent';
    for (const socket of this.#sockets) socket.pause();
  }

  /** Closes all connections and accepts no new ones. */
  refuse(): void {
    this.#state = 'refusing';
    this.cut();
  }

  /** Accepts new connections again. */
  mend(): void {
    this.#state = 'open';
    this.cut();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near: Socket): void {
    if (this.#state === 'refusing') {
      this.refused += 1;
      near.destroy();
      return;
    }
    this.#keep(near);
    if (this.#state === 'silent') return;
    const far = connect(Number(this.#service.port), this.#service.hostname);
    this.#keep(far);
    near.on('data', (bytes) => {
      if (this.silentAt !== undefined && bytes.includes(this.silentAt)) {
        this.silentAt = undefined;
        near.pause();
        far.pause();
        return;
      }
      if (this.cutAtCommit === undefined || !bytes.includes(COMMIT)) {
        far.write(bytes);
        return;
      }
      const isKept = this.cutAtCommit === 'after';
      this.cutAtCommit = undefined;
      if (isKept) far.end(bytes);
      else far.destroy();
      near.destroy();
      this.onCut();
    });
    far.on('data', (bytes) => near.write(bytes));
    near.on('close', () => {
      if (!far.writableEnded) far.destroy();
    });
    far.on('close', () => near.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
