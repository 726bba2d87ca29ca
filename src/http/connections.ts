import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MOST = 10_000;

/** For the store's files, the log, and what Node itself holds open. */
const OTHER_FILES = 64;

/** How many connections come in at once before one that waits is let go. */
const BURST = 16;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Bounds how many connections there are. Where there is no room for another, the one that has kept us waiting longest
 * makes it: it has sent no whole request, or has not read its answer. So whoever holds many open keeps nobody out.
 * @param openFiles how many files the system lets the process have open
 */
export class Connections {
  /** How many there may be. */
  readonly most: number;
  /** The latest exchange of each connection, in the order in which their clients were last heard. */
  readonly #held = new Map<Socket, Exchange | undefined>();

  constructor(server: Server, openFiles: number) {
    this.most = Math.max(BURST, Math.min(MOST, openFiles - OTHER_FILES - BURST));
    server.maxConnections = this.most + BURST;
    server.on('connection', (socket: Socket) => {
      this.#enter(socket);
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#hear(request.socket, { request, response });
    });
  }

  /** Lets go of all whose client has to make the next step. */
  closeWaiting(): void {
    for (const socket of [...this.#waiting()]) this.#letGo(socket);
  }

  #enter(socket: Socket): void {
    if (this.#held.size >= this.most) this.#makeRoom();
    this.#held.set(socket, undefined);
    socket.once('close', () => this.#held.delete(socket));
  }

  #hear(socket: Socket, exchange: Exchange): void {
    this.#held.delete(socket);
    this.#held.set(socket, exchange);
  }

  #makeRoom(): void {
    for (const socket of this.#waiting()) {
      this.#letGo(socket);
      return;
    }
  }

  #letGo(socket: Socket): void {
    this.#held.delete(socket);
    socket.destroy();
  }

  *#waiting(): Generator<Socket> {
    for (const [socket, exchange] of this.#held) {
      if (exchange === undefined || !exchange.request.complete || exchange.response.writableEnded)
        yield socket;
    }
  }
}

/** @returns how many files this process may have open; of Windows, which has no such limit, infinitely many */
export function openFilesOf(report: typeof process.report): number {
  const { userLimits } = report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
