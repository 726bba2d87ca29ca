import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Place } from './sandbox.ts';
import { secondsSince } from './time.ts';

/** What a client sends at first, and then every second, if anything. */
export interface Habit {
  readonly first: string;
  readonly then: string;
}

const AGAIN_MS = 2000;

/** Clients that hold on to their connections, and come back when they are cut off. */
export class Crowd {
  readonly #port: number;
  readonly #sockets = new Map<Socket, Habit>();
  #cutOff = 0;
  #gone = false;

  constructor(place: Place, url: string) {
    this.#port = Number(new URL(url).port);
    const dripping = setInterval(() => {
      for (const [socket, { then }] of this.#sockets) if (then !== '' && socket.writable) socket.write(then);
    }, 1000);
    place.defer(() => {
      clearInterval(dripping);
      this.leave();
    });
  }

  get cutOff(): number {
    return this.#cutOff;
  }

  join(count: number, habit: Habit): void {
    for (let n = 0; n < count; n++) this.#connect(habit);
  }

  leave(): void {
    this.#gone = true;
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  #connect(habit: Habit): void {
    const socket = connect(this.#port, '127.0.0.1');
    this.#sockets.set(socket, habit);
    socket.on('error', () => undefined).resume();
    if (habit.first !== '') socket.write(habit.first);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#gone) return;
      this.#cutOff += 1;
      setTimeout(() => {
        if (!this.#gone) this.#connect(habit);
      }, AGAIN_MS);
    });
  }
}

export interface Answer {
  /** 0 where there was none. */
  readonly status: number;
  readonly seconds: number;
  readonly text: string;
}

const PATIENCE_MS = 20_000;

/** Asks over a connection of its own. Without an answer it tells how long it waited for none. */
export function ask(url: string, method: 'GET' | 'POST', path: string, body?: string): Promise<Answer> {
  const start = performance.now();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return new Promise((resolve) => {
    const none = (): void => {
      resolve({ status: 0, seconds: secondsSince(start), text: '' });
    };
    const asked = request(
      url + path,
      {
        method,
        agent: false,
        signal,
        headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      },
      (answer) => {
        let text = '';
        answer
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            text += chunk;
          })
          .on('error', none);
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, seconds: secondsSince(start), text });
        });
      },
    );
    asked.on('error', none).end(body);
  });
}

/** Sends bytes. @returns all that came back until `enough` of it was there, or the time was up */
export function exchange(url: string, bytes: string, enough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    const end = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setEncoding('utf8').setTimeout(PATIENCE_MS, end).on('error', end).on('close', end);
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (enough(text)) end();
    });
    socket.write(bytes);
  });
}
