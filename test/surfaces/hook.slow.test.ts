import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { it } from 'node:test';
import { listen } from '../support/http/listen.ts';
import { DATABASE_URL, newDatabase } from '../support/postgres/postgres.ts';
import { temporaryFolder } from '../support/folder.ts';
import { post, runSuccessfully, startProduct } from '../support/product.ts';
import { waitUntil } from '../support/wait-until.ts';

const PLACES = {
  'a folder': async (t: { after: (fn: () => Promise<void>) => void }) => ({
    DATA_DIR: await temporaryFolder(t),
  }),
  'a database': async (t: { after: (fn: () => Promise<void>) => void }) => ({
    DATABASE_URL: await newDatabase(t),
  }),
};

for (const [engine, place] of Object.entries(PLACES)) {
  it(`on ${engine} a report is told after two failures and to one of two servers, and hidden by one command`, async (t) => {
    assert.ok(DATABASE_URL);
    const messages: { event: string; id: string; act: string; untrustedText: string }[] = [];
    let requests = 0;
    const receiver = createServer((request, response) => {
      requests += 1;
      const isRefused = requests <= 2;
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => (text += part));
      request.on('end', () => {
        if (!isRefused) messages.push(JSON.parse(text));
        response.writeHead(isRefused ? 500 : 204).end();
      });
    });
    const store = await place(t);
    const settings = { ...store, HOOK_URL: await listen(t, receiver) };
    const servers = [await startProduct(settings), await startProduct(settings)];
    const [{ url }] = servers as [(typeof servers)[0]];
    const { id } = (await (await post(url, 'something illegal')).json()) as { id: string };
    const report = await fetch(`${url}/api/reports`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ id, reason: 'illegal' }),
    });
    assert.equal(report.status, 201);
    await waitUntil(() => messages.length > 0);
    const [message] = messages;
    assert.deepEqual([message!.event, message!.id, requests], ['illegal', id, 3]);
    assert.equal(message!.untrustedText, 'something illegal');
    assert.equal((await fetch(message!.act)).status, 200);
    assert.equal((await fetch(`${url}/api/posts/${id}`)).status, 200, 'a GET changes nothing');
    const judge = () =>
      fetch(message!.act, { method: 'POST', body: new URLSearchParams({ verdict: 'hide' }) });
    assert.deepEqual([(await judge()).status, (await judge()).status], [200, 404]);
    assert.equal((await fetch(`${url}/api/posts/${id}`)).status, 404);
    await runSuccessfully(['hide', id, '--reason', 'illegal'], store);
    assert.equal((await fetch(`${url}/api/posts/${id}`)).status, 404);
    // Both servers have looked again.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    assert.equal(messages.length, 1);
    for (const { end } of servers) await end('SIGTERM');
  });
}
