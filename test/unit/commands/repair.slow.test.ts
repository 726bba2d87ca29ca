import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { FailureFlag } from '#store/folder/failed-sync.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { LOG, WRITE_START } from '#store/folder/line.ts';
import { thisHost } from '#store/folder/host.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { post, runProgram, runSuccessfully, startProduct } from '../../support/product.ts';

const UNSTORED =
  /^the disk failed to store a write, and what can be read may be lost; run `porchlight repair`/;

async function messagesOf(url: string): Promise<string[]> {
  const { messages } = (await (await fetch(`${url}/api/feed`)).json()) as { messages: { message: string }[] };
  return messages.map(({ message }) => message);
}

it('after a failed sync a folder is read, and takes writes again once repair has written its log anew', async (test) => {
  const folder = await temporaryFolder(test);
  const settings = { DATA_DIR: folder };
  const log = join(folder, LOG);
  const server = await startProduct(settings);
  for (const message of ['first', 'second']) assert.equal((await post(server.url, message)).status, 201);
  await new FailureFlag(nodeDisk, folder, thisHost).write(statSync(log).size);

  const refused = await post(server.url, 'third');
  assert.deepEqual([refused.status, refused.headers.has('Retry-After')], [503, true]);
  assert.equal(((await refused.json()) as { code: string }).code, 'storage_unavailable');
  assert.match(server.log(), /porchlight repair/);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 503);
  assert.deepEqual(await messagesOf(server.url), ['second', 'first']);
  const { status, stderr } = await runProgram(['freeze'], settings);
  assert.equal(status, 1);
  assert.match(stderr, UNSTORED);
  assert.match(await runSuccessfully(['check'], settings), /The store is intact: 2 posts/);

  const [before, { ino }] = [readFileSync(log), statSync(log)];
  const printed = await runSuccessfully(['repair'], settings);
  assert.match(printed, /^The log has been rewritten\. Restart every process/);
  // It holds up every holder that stands between its check and its append.
  assert.deepEqual(readFileSync(log), Buffer.concat([before, WRITE_START]));
  assert.notEqual(statSync(log).ino, ino);
  assert.equal((await post(server.url, 'to the old file')).status, 503);
  assert.match(server.log(), /restart this process/);
  await server.end('SIGTERM');

  const again = await startProduct(settings);
  assert.equal((await post(again.url, 'third')).status, 201);
  assert.deepEqual(await messagesOf(again.url), ['third', 'second', 'first']);
  assert.match(await runSuccessfully(['repair'], settings), /^Nothing was done/);
  await again.end('SIGTERM');
});
