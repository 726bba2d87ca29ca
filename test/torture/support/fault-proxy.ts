import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Place } from './sandbox.ts';

/** How a plain `commit` looks on the wire: a letter, four bytes of length, and this. */
const COMMIT = Buffer.from('commit\0');
const BEFORE_TEXT = 5;

/**
 * What becomes of a packet with a commit, whose sender loses the connection: all of it is lost, or the commit alone, or
 * only its answer; or the commit arrives some milliseconds after the sender lost the connection.
 */
export type Cut = 'packet' | 'commit' | 'answer' | { readonly late: number };

/** A way to the database that can be cut where it hurts, and fall silent. */
export class Wire {
  /** Asked for every commit. It passes, once that is done, unless it is to be cut. */
  atCommit: () => Cut | Promise<void> | undefined = () => undefined;
  readonly #to: URL;
  #url = '';
  #isSilent = false;
  readonly #sockets = new Set<Socket>();

  private constructor(to: string) {
    this.#to = new URL(to);
  }

  static async open(place: Place, to: string): Promise<Wire> {
    const wire = new Wire(to);
    const server = createServer((near) => {
      wire.#join(near);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const url = new URL(to);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    wire.#url = url.href;
    place.defer(() => {
      server.close();
      wire.cut();
    });
    return wire;
  }

  get url(): string {
    return this.#url;
  }

  /** From now on nothing passes; connections stand and say nothing. */
  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was held up arrives now. */
  resume(): void {
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Loses all connections, with what was held up; new ones pass. */
  cut(): void {
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near: Socket): void {
    const far = connect(Number(this.#to.port), this.#to.hostname);
    let isCut = false;
    let before = Promise.resolve();
    const pass = async (bytes: Buffer): Promise<void> => {
      const at = bytes.indexOf(COMMIT);
      const fate = at < 0 ? undefined : this.atCommit();
      if (fate === undefined || fate instanceof Promise) {
        await fate;
        if (!isCut) far.write(bytes);
        return;
      }
      isCut = true;
      near.destroy();
      if (fate === 'packet') far.destroy();
      else if (fate === 'commit') far.end(bytes.subarray(0, at - BEFORE_TEXT));
      else if (fate === 'answer') far.end(bytes);
      else setTimeout(() => far.end(bytes), fate.late);
    };
    near.on('data', (bytes: Buffer) => {
      before = before.then(() => pass(bytes));
    });
    far.on('data', (bytes) => near.write(bytes));
    near.on('close', () => {
      if (!isCut) void before.then(() => far.destroy());
    });
    far.on('close', () => near.destroy());
    for (const socket of [near, far]) this.#keep(socket);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    if (this.#isSilent) socket.pause();
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
