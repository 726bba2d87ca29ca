import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { LAUNCHER } from '../support/product.ts';

const call = (id: number, name: string, args: object): object => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
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
