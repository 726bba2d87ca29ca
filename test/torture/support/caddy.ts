import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCaddyfile } from '../../support/compose.ts';
import type { Sandbox } from './sandbox.ts';

export interface Caddy {
  readonly url: string;
  /** The port of `url`. */
  readonly port: number;
  /** Of Caddy's own certificate authority. */
  readonly authorityFile: string;
  /** Trusts that authority. */
  readonly fetch: typeof fetch;
}

/** Resolves to the loopback address, and Caddy signs its certificate by itself. */
export const DOMAIN = 'porch.localhost';

const MAX_START_MS = 20_000;

/**
 * Starts Caddy with the configuration of `compose.yaml` in front of a server on this machine.
 * @param ports of Caddy, which are free
 */
export async function startCaddy(
  sandbox: Sandbox,
  serverPort: number,
  ports: { readonly http: number; readonly https: number },
): Promise<Caddy> {
  const folder = await sandbox.createFolder();
  const content = readCaddyfile('compose.yaml').replace('porchlight:8787', `127.0.0.1:${serverPort}`);
  const file = join(folder, 'Caddyfile');
  writeFileSync(
    file,
    `{\n  http_port ${ports.http}\n  https_port ${ports.https}\n  admin off\n  skip_install_trust\n}\n${content}`,
  );
  const child = spawn('caddy', ['run', '--config', file], {
    env: { PATH: process.env['PATH'], DOMAIN, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: 'ignore',
  });
  sandbox.after(() => child.kill('SIGKILL'));
  const authorityFile = join(folder, 'caddy/pki/authorities/local/root.crt');
  const url = `https://${DOMAIN}:${ports.https}`;
  const deadline = performance.now() + MAX_START_MS;
  for (;;) {
    try {
      const caddy = {
        url,
        port: ports.https,
        authorityFile,
        fetch: createFetch(readFileSync(authorityFile, 'utf8')),
      };
      if ((await caddy.fetch(`${url}/healthz`)).ok) return caddy;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(100);
  }
}

/** @param ca the certificate authority, PEM @returns `fetch` over HTTP/1.1 for bodies that are texts */
function createFetch(ca: string): typeof fetch {
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const options: RequestOptions = {
      ca,
      method,
      headers: Object.fromEntries(new Headers(headers)),
      lookup: (_, __, done) => {
        done(null, [{ address: '127.0.0.1', family: 4 }]);
      },
      ...(signal != null && { signal }),
    };
    return new Promise((resolve, reject) => {
      request(String(input), options, (response) => {
        const { statusCode = 0, headersDistinct } = response;
        const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        const isEmpty = statusCode === 204 || statusCode === 304;
        const stream = Readable.toWeb(response) as ReadableStream;
        resolve(new Response(isEmpty ? null : stream, { status: statusCode, headers: pairs }));
      })
        .on('error', reject)
        .end(typeof body === 'string' ? body : undefined);
    });
  };
}
