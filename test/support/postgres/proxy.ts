import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** How a plain `commit` looks on the wire. */
const COMMIT = Buffer.from('commit\0');

/** A way to the database that a test can hold up and cut. */
export class Proxy {
  /**
   * Cuts the next commit off: before the database receives it, or before the client receives the response.
   */
  cutAtCommit: 'before' | 'after' | undefined;
  /** Called when a commit was cut. */
  onCut: () => void = () => undefined;
  /** The next connection that sends this text stays open, and carries nothing from then on. */
  silentAt: string | undefined;
  /** Delay of the responses of the database, in milliseconds. */
  delay = 0;
  #state: 'open' | 'refusing' | 'silent' = 'open';
  #url = '';
  readonly #database: URL;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((near) => {
    this.#join(near);
  });

  private constructor(database: URL) {
    this.#database = database;
  }

  /** @param database its address */
  static async open(t: TestContext, database: string): Promise<Proxy> {
    const proxy = new Proxy(new URL(database));
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    const url = new URL(database);
    url.host = `127.0.0.1:${(proxy.#server.address() as AddressInfo).port}`;
    proxy.#url = url.href;
    t.after(() => {
      proxy.#server.close();
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
      near.destroy();
      return;
    }
    this.#keep(near);
    if (this.#state === 'silent') return;
    const far = connect(Number(this.#database.port), this.#database.hostname);
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
    far.on('data', (bytes) => {
      setTimeout(() => near.write(bytes), this.delay);
    });
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
