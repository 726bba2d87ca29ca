import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import test, { type TestContext } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { META_2026 } from '../support/mcp/listen-stream.ts';
import { StdioProcess } from '../support/mcp/stdio-process.ts';
import { LAUNCHER } from '../support/product.ts';
import { firstOf } from '../support/thorough.ts';

const launch = async (t: TestContext): Promise<StdioProcess> =>
  new StdioProcess(t, { DATA_DIR: await temporaryFolder(t) });

const call = (id: number, name: string, args: object): object => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

const ENDS: Record<string, (server: StdioProcess) => void> = {
  'the end of its input': (server) => {
    server.end();
  },
  SIGTERM: (server) => {
    server.kill('SIGTERM');
  },
};

for (const [what, end] of firstOf(Object.entries(ENDS)))
  test(`${what} ends an open subscription with its result`, async (t) => {
    const server = await launch(t);
    server.send(call(1, 'read_feed', {}));
    await server.repliesTo(1);
    const params = {
      notifications: { resourceSubscriptions: ['porchlight://feed'] },
      _meta: META_2026,
    };
    server.send({ id: 'listen', method: 'subscriptions/listen', params });
    await server.notice('notifications/subscriptions/acknowledged');
    end(server);
    const [reply] = await server.repliesTo('listen');
    assert.ok(reply?.result);
    assert.equal((await server.exited).status, 0);
  });

test('a line that is not UTF-8 is refused as over HTTP, and nothing of it is stored', async (t) => {
  const server = await launch(t);
  const line = JSON.stringify({ jsonrpc: '2.0', ...call(1, 'post_message', { message: 'café' }) });
  server.write(Buffer.from(`${line}\n`, 'latin1'));
  const [refused] = await server.repliesTo(null);
  assert.equal(refused?.error?.code, -32700);
  server.send(call(2, 'read_feed', {}));
  const [feed] = await server.repliesTo(2);
  assert.deepEqual(
    feed?.result?.['structuredContent'] && (feed.result['structuredContent'] as { messages: [] }).messages,
    [],
  );
});

test('a byte order mark before the first line is ignored (RFC 8259 section 8.1)', async (t) => {
  const server = await launch(t);
  server.write(`\uFEFF${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
  assert.deepEqual((await server.repliesTo(1))[0]?.result, {});
});

test('a host that reads no log gets every response, and can end the process', async (t) => {
  const child = spawn(process.execPath, [LAUNCHER, 'stdio'], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], DATA_DIR: await temporaryFolder(t) },
  });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  // Each is refused for another reason than the one before, and is far longer in the log than a pipe takes.
  for (let n = 0; n < 2_000; n++) child.stdin.write(n % 2 === 0 ? '{"id":1,"method":5}\n' : '[]\n');
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...call(0, 'read_feed', {}), id: 'last' })}\n`);
  let last = '';
  while (!last.includes('"last"')) last = String((await lines.next()).value);
  child.kill('SIGTERM');
  const [status] = await once(child, 'exit');
  assert.equal(status, 0);
});
