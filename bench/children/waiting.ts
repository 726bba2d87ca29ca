import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import type { WaitingMessage } from '../waiting-clients.ts';

/** Connections that are opened at once; Node queues 511. */
const OPENED_AT_ONCE = 100;

/**
 * One connection with one waiting call. It is a plain socket, because 10,000 HTTP clients of Node would be
 * slower than the server.
 */
interface Client {
  readonly socket: Socket;
  received: string;
  /** Monotonic milliseconds of all processes of the machine; NaN until the response is complete. */
  answeredAt: number;
}

const clients: Client[] = [];
let request = '';
let answered = 0;
let onAnswer = (): void => undefined;

function isComplete(response: string): boolean {
  const end = response.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(response.slice(0, end))?.[1];
  // A wait of more than 15 seconds has begun to send its response in chunks.
  return length === undefined
    ? response.endsWith('\r\n0\r\n\r\n')
    : response.length >= end + 4 + Number(length);
}

function receive(client: Client, text: string): void {
  client.received += text;
  if (!isComplete(client.received)) return;
  client.answeredAt = Number(process.hrtime.bigint()) / 1e6;
  answered += 1;
  onAnswer();
}

function ask(client: Client): void {
  client.received = '';
  client.answeredAt = NaN;
  client.socket.write(request);
}

async function open(port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' }).setEncoding('latin1').setNoDelay();
  const client: Client = { socket, received: '', answeredAt: NaN };
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  socket.on('data', (text: string) => {
    receive(client, text);
  });
  clients.push(client);
  ask(client);
}

async function openAll(port: number, count: number): Promise<void> {
  let opened = 0;
  await Promise.all(
    Array.from({ length: OPENED_AT_ONCE }, async () => {
      while (opened < count) {
        opened += 1;
        await open(port);
      }
    }),
  );
}

/** Waits until every client has its response. @returns the times of the responses */
async function allAnswered(): Promise<number[]> {
  await new Promise<void>((resolve) => {
    onAnswer = () => {
      if (answered >= clients.length) resolve();
    };
    onAnswer();
  });
  for (const { received } of clients) {
    assert.match(received, /^HTTP\/1\.1 200 /);
    assert.match(received, /"timedOut":false/);
  }
  return clients.map(({ answeredAt }) => answeredAt);
}

function askAgain(): void {
  answered = 0;
  clients.forEach(ask);
}

async function run(message: WaitingMessage): Promise<number[]> {
  if (message.action === 'open') {
    request = message.request;
    await openAll(message.port, message.count);
  } else if (message.action === 'answered') return allAnswered();
  else askAgain();
  return [];
}

process.on('message', (message: WaitingMessage) => {
  void run(message).then((times) => process.send!(times));
});
