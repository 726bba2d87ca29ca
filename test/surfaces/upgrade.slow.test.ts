import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import type { RpcReply } from '../support/mcp/stdio-process.ts';
import { temporaryFolder } from '../support/folder.ts';

const ROOT = join(import.meta.dirname, '../..');

const LOADED = 'loaded the rest of the program';

const CLIENT = { name: 'a test', version: '1.0.0' };

const DISCOVER = {
  jsonrpc: '2.0',
  id: 'discover',
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

/** An SDK validates it over HTTP too, because of its capability. */
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'initialize',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { experimental: { some: {} } },
    clientInfo: CLIENT,
  },
};

/** As `npm pack` with its scripts, which replace the manifest of the checkout for a moment. */
function packFirstEdition(to: string): string {
  execFileSync('tar', ['-xzf', pack(ROOT, to), '-C', to]);
  const edition = join(to, 'package');
  const manifest = join(edition, 'package.json');
  const { dependencies: _, ...packed } = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, JSON.stringify(packed, null, 2));
  return pack(edition, to);
}

function pack(packed: string, to: string): string {
  const options = ['pack', '--silent', '--ignore-scripts', '--pack-destination', to];
  const name = execFileSync('npm', options, { cwd: packed, encoding: 'utf8' }).trim();
  return join(to, name);
}

/** Makes another edition of a package, in which each file but the first has another name. */
function packNextEdition(tarball: string, to: string): string {
  execFileSync('tar', ['-xzf', tarball, '-C', to]);
  const edition = join(to, 'package');
  const manifest = join(edition, 'package.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": ".*"/, '"version": "9.9.9"'));
  const program = join(edition, 'dist', 'program');
  const names = readdirSync(program);
  const newName = (name: string): string =>
    name.replace(/-([A-Z0-9]{8})\.js$/, (_, hash: string) => `-${[...hash].reverse().join('')}.js`);
  for (const name of names) {
    const text = readFileSync(join(program, name), 'utf8');
    rmSync(join(program, name));
    const moved = names.reduce(
      (written, one) => written.replaceAll(`"./${one}"`, `"./${newName(one)}"`),
      text,
    );
    writeFileSync(join(program, newName(name)), moved);
  }
  return pack(edition, to);
}

function start(t: TestContext, launcher: string, command: string, folder: string): ChildProcess {
  const child = spawn(process.execPath, [launcher, command], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'debug' },
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function untilLoaded({ stderr }: ChildProcess): Promise<void> {
  for await (const line of createInterface({ input: stderr! })) if (line.includes(LOADED)) return;
  throw new Error('it ended');
}

test('an upgrade in place breaks no call of a server or a stdio process that runs', async (t) => {
  const folder = await temporaryFolder(t);
  execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: 'ignore' });
  const tarball = packFirstEdition(folder);
  const install = (file: string): void => {
    const options = ['--offline', '--cache', join(folder, 'cache'), '--prefix', folder, '--global'];
    execFileSync('npm', ['install', ...options, file], { stdio: 'ignore' });
  };
  install(tarball);
  const installed = join(folder, 'lib', 'node_modules', 'porchlight');
  const launcher = join(installed, 'bin', 'porchlight.js');
  const server = start(t, launcher, 'serve', join(folder, 'data'));
  const host = start(t, launcher, 'stdio', join(folder, 'data'));
  const [[line]] = await Promise.all([
    once(server.stdout!.setEncoding('utf8'), 'data') as Promise<[string]>,
    untilLoaded(server),
    untilLoaded(host),
  ]);
  const url = /http:\/\/\S+?(?= )/.exec(line)![0];

  const before = readdirSync(join(installed, 'dist', 'program'));
  install(packNextEdition(tarball, folder));
  const kept = readdirSync(join(installed, 'dist', 'program')).filter((name) => before.includes(name));
  assert.deepEqual(kept, ['cli.js']);

  const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const send = async (path: string, init: RequestInit = {}): Promise<[number, string]> => {
    const response = await fetch(url + path, init);
    return [response.status, await response.text()];
  };
  const post = (path: string, body: object, headers = {}): Promise<[number, string]> =>
    send(path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const [posted] = await post('/api/feed', { message: '# A message\n\n- with markup' });
  assert.equal(posted, 201);
  assert.match((await send('/feed'))[1], /with markup/);
  for (const path of ['/feed.xml', '/feed.atom', '/feed.json', '/api/start'])
    assert.equal((await send(path, { headers: { Origin: url } }))[0], 200, path);
  assert.equal((await send('/nothing/here'))[0], 404);
  assert.equal((await send('/api/feed', { method: 'OPTIONS', headers: { Origin: url } }))[0], 204);
  const discover = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'server/discover' };
  assert.match((await post('/mcp', DISCOVER, discover))[1], /"result":/);
  assert.match((await post('/mcp', INITIALIZE))[1], /"result":/);

  const replies: RpcReply[] = [];
  host.stdin!.write(`${JSON.stringify(DISCOVER)}\n${JSON.stringify(INITIALIZE)}\n`);
  for await (const text of createInterface({ input: host.stdout! }))
    if (replies.push(JSON.parse(text) as RpcReply) === 2) break;
  for (const { id, result } of replies) assert.ok(result !== undefined, String(id));
});
