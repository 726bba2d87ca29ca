import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ClientNetwork } from './client-network.ts';
import type { Sandbox } from './sandbox.ts';

const THIS_FILE = fileURLToPath(import.meta.url);
/** The limit of 1,200 requests a minute for one client. */
const REQUEST_INTERVAL_MS = 50;

/**
 * Opens connections that request a page and never read it, in a child process.
 * @returns a function that closes them
 */
export function openUnreadConnections(
  sandbox: Sandbox,
  { wrapper }: ClientNetwork,
  { url, count, path, client }: { url: string; count: number; path: string; client: string },
): () => Promise<void> {
  const args = [process.execPath, '--import', 'tsx', THIS_FILE, url, String(count), path, client];
  const [command, ...rest] = [...wrapper, ...args];
  const child = spawn(command!, rest, { stdio: ['pipe', 'inherit', 'inherit'] });
  sandbox.defer(() => child.kill('SIGKILL'));
  return async () => {
    child.stdin.end();
    await once(child, 'close');
  };
}

/** Runs until standard input ends. */
async function run(url: string, count: number, path: string, client: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const ended = text(process.stdin);
  for (let n = 0; n < count; n++) {
    // A socket without a `data` listener reads nothing.
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(`GET ${path}&n=${n} HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-For: ${client}\r\n\r\n`);
    await sleep(REQUEST_INTERVAL_MS);
  }
  await ended;
  process.exit();
}

if (process.argv[1] === THIS_FILE) {
  const [url = '', count, path = '', client = ''] = process.argv.slice(2);
  await run(url, Number(count), path, client);
}
