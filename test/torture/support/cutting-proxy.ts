import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../support/http/listen.ts';
import type { SeededRandom } from './random.ts';
import type { Sandbox } from './sandbox.ts';

/** How the first statement of a write looks on the wire. */
const BEGIN = Buffer.from('begin\0');
/** Some writes, with their lookups. */
const MAX_BYTES = 15_000;

/** A way to a database that cuts each connection at a random byte behind its first write. */
export class CuttingProxy {
  isCutting = false;
  /** Connections that were cut so far. */
  cuts = 0;
  #url = '';
  readonly #database: URL;
  readonly #random: SeededRandom;

  private constructor(database: string, random: SeededRandom) {
    this.#database = new URL(database);
    this.#random = random;
  }

  static async open(sandbox: Sandbox, database: string, random: SeededRandom): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(database, random);
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      for (const socket of [near, proxy.#join(near)]) {
        sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      }
    });
    const url = new URL(database);
    url.host = new URL(await listen(sandbox, server)).host;
    sandbox.after(() => {
      for (const socket of sockets) socket.destroy();
    });
    proxy.#url = url.href;
    return proxy;
  }

  get url(): string {
    return this.#url;
  }

  /** @returns the connection to the database */
  #join(near: Socket): Socket {
    const far = connect(Number(this.#database.port), this.#database.hostname);
    const cutsRequests = this.#random.below(2) === 0;
    /** Bytes until the cut, in the direction that is cut; undefined before the first write. */
    let left: number | undefined;
    const carry = (bytes: Buffer, from: Socket, to: Socket): void => {
      if (left === undefined || !this.isCutting || (from === near) !== cutsRequests) {
        to.write(bytes);
      } else if (bytes.length <= left) {
        left -= bytes.length;
        to.write(bytes);
      } else {
        this.cuts += 1;
        to.end(bytes.subarray(0, left));
        from.destroy();
      }
    };
    near.on('data', (bytes) => {
      if (bytes.includes(BEGIN)) left ??= this.#random.below(MAX_BYTES);
      carry(bytes, near, far);
    });
    far.on('data', (bytes) => {
      carry(bytes, far, near);
    });
    near.on('close', () => far.end());
    far.on('close', () => near.end());
    return far;
  }
}
