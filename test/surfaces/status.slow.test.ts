import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { postJson } from '../support/http/post-json.ts';
import { PLACES } from '../support/places.ts';
import { post, runProgram, startProduct } from '../support/product.ts';
import { addPost } from '../support/store/writes.ts';
import { waitUntil } from '../support/wait-until.ts';

for (const [engine, place] of Object.entries(PLACES))
  it(`status of ${engine} shows a running server, what it needs, a kill and a stop`, async (test) => {
    const settings = { ...(await place(test)), FEED_POSTS_PER_HOUR: '1' };
    const status = async () => {
      const { status: code, stdout, stderr } = await runProgram(['status', '--json'], settings);
      const { faults, servers } = JSON.parse(stdout);
      assert.equal(stderr, '');
      return { code, codes: faults.map((fault: { code: string }) => fault.code), servers };
    };
    const server = await startProduct(settings);
    test.after(() => server.end('SIGKILL'));
    await waitUntil(async () => (await status()).code === 0);

    const { id } = (await (await post(server.url, 'a message')).json()) as { id: string };
    assert.equal((await post(server.url, 'another')).status, 429);
    assert.equal((await postJson(`${server.url}/api/reports`, { id, reason: 'spam' })).status, 201);
    assert.equal((await runProgram(['export', '-'], settings)).status, 0);
    // The server may write its numbers between the report and the export.
    await waitUntil(async () => {
      const { codes, servers } = await status();
      return codes.includes('reports') && servers[0].lastExport !== null;
    });
    const { code, servers } = await status();
    const [{ postsToday, refused, lastExport, reports }] = servers;
    const seen = [code, servers.length, postsToday, refused, reports.open];
    assert.deepEqual(seen, [1, 1, 1, { productionPostsPerNetworkPerHour: 1 }, 1]);
    assert.ok(Math.abs(lastExport - Date.now()) < 60_000);
    assert.ok(!JSON.stringify(servers).includes('a message'));
    assert.equal((await runProgram(['hide', id, '--reason', 'spam'], settings)).status, 0);
    await waitUntil(async () => (await status()).code === 0);

    await server.end('SIGKILL');
    await waitUntil(async () => (await status()).codes.includes('server_gone'));
    const next = await startProduct({ ...settings, PORT: new URL(server.url).port });
    test.after(() => next.end('SIGKILL'));
    await waitUntil(async () => (await status()).code === 0);
    assert.equal(await next.end('SIGTERM'), 0);
    assert.equal((await status()).code, 1);
  });

for (const [engine, place] of Object.entries(PLACES))
  it(`a clock that was once ahead is said by the log, /healthz and status of ${engine}`, async (test) => {
    const settings = await place(test);
    const { DATA_DIR: folder, DATABASE_URL: url } = settings;
    const options = { clock: { now: () => Date.now() + 365 * 86_400_000 }, report: () => undefined };
    const store =
      url === undefined
        ? await openFolderStore({ ...options, folder: folder! })
        : await openPostgresStore({ ...options, url });
    await addPost(store, 'a message');
    await store.close();
    const server = await startProduct(settings);
    test.after(() => server.end('SIGKILL'));
    const health = (await (await fetch(`${server.url}/healthz`)).json()) as { clockBehind: boolean };
    assert.equal(health.clockBehind, true);
    await waitUntil(async () => (await runProgram(['status'], settings)).stdout.includes('with --clamp.'));
    await server.end('SIGTERM');
    assert.match(server.log(), /the newest record is ahead of the clock/);
  });
