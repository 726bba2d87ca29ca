import assert from 'node:assert/strict';
import { it } from 'node:test';
import { receiveHook } from '../support/http/hook-receiver.ts';
import { postJson } from '../support/http/post-json.ts';
import { PLACES } from '../support/places.ts';
import { post, runSuccessfully, startProduct } from '../support/product.ts';
import { waitUntil } from '../support/wait-until.ts';

interface HookMessage {
  readonly event: string;
  readonly id: string;
  readonly act: string;
  readonly untrustedText: string;
}

for (const [engine, place] of Object.entries(PLACES)) {
  it(`on ${engine} a report is told after two failures and to one of two servers, and hidden by one command`, async (t) => {
    const { url: hook, messages, requests } = await receiveHook<HookMessage>(t, 2);
    const store = await place(t);
    const settings = { ...store, HOOK_URL: hook };
    const servers = [await startProduct(settings), await startProduct(settings)];
    const [{ url }] = servers as [(typeof servers)[0]];
    const { id } = (await (await post(url, 'something illegal')).json()) as { id: string };
    const report = await postJson(`${url}/api/reports`, { id, reason: 'illegal' });
    assert.equal(report.status, 201);
    await waitUntil(() => messages.length > 0);
    const [message] = messages;
    assert.deepEqual([message!.event, message!.id, requests()], ['illegal', id, 3]);
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
