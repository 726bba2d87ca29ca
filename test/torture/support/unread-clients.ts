import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ClientNetwork } from './client-network.ts';
import type { Place } from './sandbox.ts';

const HERE = fileURLToPath(import.meta.url);
/** As fast as the limit of 1,200 requests a minute lets one client be. */
const EVERY_MS = 50;

/** Opens connections that ask for a page and never read it, in a process of their own. @returns how to end them */
export function readNothing(
  place: Place,
  { behind }: ClientNetwork,
  { url, count, path, client }: { url: string; count: number; path: string; client: string },
): () => Promise<void> {
  const args = [process.execPath, '--import', 'tsx', HERE, url, String(count), path, client];
  const [command, ...rest] = [...behind, ...args];
  const child = spawn(command!, rest, { stdio: ['pipe', 'inherit', 'inherit'] });
  place.defer(() => child.kill('SIGKILL'));
  return async () => {
    child.stdin.end();
    await once(child, 'close');
  };
}

/** Until the standard input ends. */
async function main(url: string, count: number, path: string, client: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const ended = text(process.stdin);
  for (let n = 0; n < count; n++) {
    // Without a listener for data nothing is read.
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(`GET ${path}&n=${n} HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-For: ${client}\r\n\r\n`);
    await sleep(EVERY_MS);
  }
  await ended;
  process.exit();
}

if (process.argv[1] === HERE) {
  const [url = '', count, path = '', client = ''] = process.argv.slice(2);
  await main(url, Number(count), path, client);
}
