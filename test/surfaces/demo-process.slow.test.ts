import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { listen } from '../support/http/listen.ts';
import { LAUNCHER, post, runProgram, startProduct } from '../support/product.ts';

it('a demo listens on PORT, and leaves nothing behind if it is killed', async (test) => {
  const temporary = await temporaryFolder(test);
  // Since Node 22 every start of the program keeps its compiled code below HOME.
  const port = await freePort();
  const env = { TMPDIR: temporary, HOME: temporary, PORT: String(port), NODE_DISABLE_COMPILE_CACHE: '1' };
  const demo = await startProduct(env, ['demo']);
  assert.equal(demo.url, `http://127.0.0.1:${port}`);
  assert.equal((await post(demo.url, 'IDEA: something')).status, 201);
  assert.equal(await demo.end('SIGKILL'), 'SIGKILL');
  assert.deepEqual(readdirSync(temporary), []);
});

it('a demo refuses a port that is none, and one that is taken, and leaves nothing behind', async (test) => {
  const temporary = await temporaryFolder(test);
  const { status, stderr } = await runProgram(['demo'], { TMPDIR: temporary, PORT: 'seven' });
  assert.equal(status, 2);
  assert.match(stderr, /^PORT /);
  const taken = new URL(await listen(test, createServer())).port;
  const refused = await runProgram(['demo', '--port', taken], { TMPDIR: temporary });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /Stop the program that listens there, or set another PORT/);
  assert.deepEqual(readdirSync(temporary), []);
});

it('a server on an empty store prints how to begin, and on one with messages it does not', async (test) => {
  const settings = { DATA_DIR: await temporaryFolder(test), LOG_LEVEL: 'warn' };
  const start = async (): Promise<string> => {
    const child = spawn(process.execPath, [LAUNCHER, 'serve'], {
      cwd: tmpdir(),
      env: { PATH: process.env['PATH'], PORT: '0', ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const [url = ''] = /http:\/\/\S+/.exec(printed) ?? [];
    assert.equal((await post(url, 'IDEA: the first')).status, 201);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    return printed.replaceAll(url, 'URL');
  };
  assert.equal(
    await start(),
    `porchlight is at URL (MCP: URL/mcp). Ctrl+C stops it.
Nothing has been posted yet. Connect an agent:
  claude mcp add --transport http porchlight URL/mcp
Or look at an example first: npm run demo, or porchlight demo outside a checkout.
`,
  );
  assert.equal(await start(), 'porchlight is at URL (MCP: URL/mcp). Ctrl+C stops it.\n');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
