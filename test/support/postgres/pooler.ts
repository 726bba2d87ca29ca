import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { DATABASE_URL } from './postgres.ts';
import {
  authenticationOk,
  fatalError,
  isRequestForTls,
  MessageReader,
  parametersOf,
  readyForQuery,
  typeOf,
} from './wire.ts';

/** Startup parameters. PgBouncer refuses every other one, since its backends would differ by it. */
const PARAMETERS = ['user', 'database', 'client_encoding', 'application_name'];

interface Options {
  /** Whether a client keeps its backend for its session or for a transaction. */
  readonly mode: 'session' | 'transaction';
  /**
   * The idle backend for the next client: the one used last, PgBouncer's default, or first
   * (`server_round_robin`).
   */
  readonly next: 'used-last' | 'used-first';
  /** Backends that are connected and idle before the first client arrives. */
  readonly idle: number;
}

/**
 * A proxy between clients and PostgreSQL that shares few backends, like PgBouncer, without cancel requests.
 */
export class Pooler {
  readonly #options: Options;
  readonly #idle: Backend[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(options: Options) {
    this.#options = options;
  }

  /** @returns the address of a database, for the test's duration */
  static async open(t: TestContext, options: Options): Promise<string> {
    const pooler = new Pooler(options);
    for (let count = 0; count < options.idle; count++) pooler.#idle.push(await pooler.#connect());
    const server = createServer((socket) => {
      pooler.#sockets.add(socket);
      socket.on('error', () => undefined);
      new Client(socket, pooler);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => {
      server.close();
      for (const socket of pooler.#sockets) socket.destroy();
    });
    const url = new URL(DATABASE_URL);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return url.href;
  }

  get mode(): Options['mode'] {
    return this.#options.mode;
  }

  async acquire(): Promise<Backend> {
    const idle = this.#options.next === 'used-last' ? this.#idle.pop() : this.#idle.shift();
    return idle ?? this.#connect();
  }

  release(backend: Backend): void {
    backend.client = undefined;
    this.#idle.push(backend);
  }

  /** The driver logs in; after that the socket carries messages of clients. */
  async #connect(): Promise<Backend> {
    const socket = new Socket();
    this.#sockets.add(socket);
    const driver = new pg.Client({ connectionString: DATABASE_URL, stream: () => socket });
    await driver.connect();
    socket.removeAllListeners();
    socket.on('error', () => undefined);
    return new Backend(socket);
  }
}

/** A connection to PostgreSQL. Messages that arrive while no client has it are dropped. */
class Backend {
  readonly socket: Socket;
  client: Client | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    const reader = new MessageReader();
    socket.on('data', (bytes: Buffer) => {
      for (const message of reader.read(bytes)) this.client?.receive(message);
    });
  }
}

/** A connection of a client. It gets a backend with its first message. */
class Client {
  readonly #socket: Socket;
  readonly #pooler: Pooler;
  #backend: Promise<Backend> | undefined;
  /** Messages that PostgreSQL will answer with ReadyForQuery. */
  #unanswered = 0;

  constructor(socket: Socket, pooler: Pooler) {
    this.#socket = socket;
    this.#pooler = pooler;
    const reader = new MessageReader({ startsUntyped: true });
    socket.on('data', (bytes: Buffer) => {
      for (const message of reader.read(bytes)) this.#send(message);
    });
    socket.on('close', () => {
      void this.#backend?.then((backend) => backend.socket.destroy());
    });
  }

  receive(message: Buffer): void {
    this.#socket.write(message);
    if (typeOf(message) !== 'Z') return;
    this.#unanswered -= 1;
    const isInTransaction = message.at(-1) !== 'I'.charCodeAt(0);
    if (this.#pooler.mode === 'session' || this.#unanswered > 0 || isInTransaction) return;
    const backend = this.#backend;
    this.#backend = undefined;
    void backend?.then((one) => {
      this.#pooler.release(one);
    });
  }

  #send(message: Buffer): void {
    const type = typeOf(message);
    if (type === undefined) {
      this.#begin(message);
      return;
    }
    // Terminate.
    if (type === 'X') return;
    if (type === 'Q' || type === 'S') this.#unanswered += 1;
    this.#backend ??= this.#pooler.acquire();
    void this.#backend.then((backend) => {
      backend.client = this;
      backend.socket.write(message);
    });
  }

  #begin(message: Buffer): void {
    if (isRequestForTls(message)) {
      this.#socket.write('N');
      return;
    }
    const unknown = parametersOf(message).find((name) => !PARAMETERS.includes(name));
    if (unknown === undefined) this.#socket.write(Buffer.concat([authenticationOk, readyForQuery]));
    else this.#socket.end(fatalError(`unsupported startup parameter: ${unknown}`));
  }
}
