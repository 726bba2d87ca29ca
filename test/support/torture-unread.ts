import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ClientNetwork } from './torture-network.ts';
import type { Place } from './torture-place.ts';

const HERE = fileURLToPath(import.meta.url);
const EVERY_MS = 20;

/** What became of connections whose client reads nothing. */
export interface Unread {
  readonly opened: number;
  /** By the server. */
  readonly closed: number;
}

/** Opens connections that ask for a page and never read it, in a process of their own. @returns how to end them */
export function readNothing(
  place: Place,
  { behind }: ClientNetwork,
  { url, count, path, client }: { url: string; count: number; path: string; client: string },
): () => Promise<Unread> {
  const args = [process.execPath, '--import', 'tsx', HERE, url, String(count), path, client];
  const [command, ...rest] = [...behind, ...args];
  const child = spawn(command!, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  place.defer(() => child.kill('SIGKILL'));
  return async () => {
    child.stdin.end();
    return JSON.parse(await text(child.stdout)) as Unread;
  };
}

/** Until the standard input ends. */
async function main(url: string, count: number, path: string, client: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const ended = text(process.stdin);
  let closed = 0;
  const sockets = [];
  for (let n = 0; n < count; n++) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    // Without a listener for data nothing is read; that the server closed shows in a write.
    socket.on('error', () => undefined).on('close', () => (closed += 1));
    socket.write(`GET ${path}&n=${n} HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-For: ${client}\r\n\r\n`);
    await sleep(EVERY_MS);
  }
  await ended;
  process.stdout.write(JSON.stringify({ opened: count, closed }));
  for (const socket of sockets) socket.destroy();
  process.exit();
}

if (process.argv[1] === HERE) {
  const [url = '', count, path = '', client = ''] = process.argv.slice(2);
  await main(url, Number(count), path, client);
}
