import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { receiveHook } from '../support/http/hook-receiver.ts';
import { postJson } from '../support/http/post-json.ts';
import { temporaryFolder } from '../support/folder.ts';
import { post, runProgram, runSuccessfully, startProduct } from '../support/product.ts';
import { waitUntil } from '../support/wait-until.ts';

test('reports on a mirror reach its operator, and hide nothing by themselves', async (t) => {
  const { url: hook, messages } = await receiveHook<{ event: string }>(t);
  const origin = await startProduct({ DATA_DIR: await temporaryFolder(t) });
  const { id } = (await (await post(origin.url, 'something illegal')).json()) as { id: string };
  const folder = await temporaryFolder(t);
  const settings = {
    DATA_DIR: folder,
    REPORTS_TO_HOLD: '3',
    TRUSTED_PROXIES: '127.0.0.1',
    HOOK_URL: hook,
  };
  const mirror = await startProduct(settings, ['mirror', origin.url]);
  const readStatus = async (): Promise<number> => (await fetch(`${mirror.url}/api/posts/${id}`)).status;
  await waitUntil(async () => (await readStatus()) === 200);
  for (const network of ['192.0.2', '198.51.100', '203.0.113']) {
    const forwarded = { 'X-Forwarded-For': `${network}.7` };
    const { status } = await postJson(`${mirror.url}/api/reports`, { id, reason: 'illegal' }, forwarded);
    assert.equal(status, 201);
  }
  await waitUntil(() => messages.length > 0);
  // The server looks for holds every two seconds.
  await sleep(5000);
  const events = messages.map(({ event }) => event);
  assert.deepEqual(events, ['illegal']);
  assert.equal(await readStatus(), 200);
  assert.match(await runSuccessfully(['reports'], settings), new RegExp(`${id}.*illegal`));
  const { entries } = (await (await fetch(`${mirror.url}/api/moderation`)).json()) as { entries: unknown[] };
  assert.deepEqual(entries, []);
  for (const { end } of [mirror, origin]) await end('SIGTERM');
});

test('the log of a mirror of a mirror names the chain, obeys an erase at its beginning, and a circle ends', async (t) => {
  const folder = await temporaryFolder(t);
  const origin = await startProduct({ DATA_DIR: folder });
  const nearer = await startProduct({ DATA_DIR: await temporaryFolder(t) }, ['mirror', origin.url]);
  const last = await startProduct({ DATA_DIR: await temporaryFolder(t) }, ['mirror', nearer.url]);
  const { id } = (await (await post(origin.url, 'a text to erase')).json()) as { id: string };
  const statusAtLast = async (): Promise<number> => (await fetch(`${last.url}/api/posts/${id}`)).status;
  await waitUntil(async () => (await statusAtLast()) === 200);
  const start = (await (await fetch(`${last.url}/api/start`)).json()) as { mirror: string };
  assert.ok(start.mirror.startsWith(`mirror of ${nearer.url}, as of `), start.mirror);
  const [header = ''] = (await (await fetch(`${last.url}/api/log`)).text()).split('\n');
  const { mirrors } = JSON.parse(header) as { mirrors: string[] };
  assert.deepEqual(mirrors, [nearer.url, new URL(origin.url).host]);
  await runSuccessfully(['erase', id, '--reason', 'by request'], { DATA_DIR: folder });
  await waitUntil(async () => (await statusAtLast()) === 404);
  await origin.end('SIGTERM');
  const circle = await runProgram(['mirror', last.url, '--once'], {
    DATA_DIR: await temporaryFolder(t),
    BASE_URL: nearer.url,
  });
  assert.equal(circle.status, 1, circle.stderr);
  assert.match(circle.stderr, /is a mirror of this mirror/);
  for (const { end } of [last, nearer]) await end('SIGTERM');
});

test('serve and stdio refuse the store of a mirror, which writes of their own would end', async (t) => {
  const folder = await temporaryFolder(t);
  const clock = { now: () => Date.now() };
  const privateStore = new FolderPrivateStore({ disk: nodeDisk, folder, clock });
  await privateStore.writeMirrorPosition({
    origin: 'https://porch.example.org',
    line: null,
    moderation: null,
  });
  for (const server of ['serve', 'stdio']) {
    const { status, stderr } = await runProgram([server], { DATA_DIR: folder, PORT: '0' });
    assert.notEqual(status, 0);
    assert.match(
      stderr,
      /This store is a mirror of https:\/\/porch\.example\.org: serve it with porchlight mirror/,
    );
  }
});
