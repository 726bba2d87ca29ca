import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import test, { type TestContext } from 'node:test';
import { Client as Client2026, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { temporaryFolder } from '../../../support/folder.ts';
import { postJson } from '../../../support/http/post-json.ts';
import { newDatabase } from '../../../support/postgres/postgres.ts';
import { launchOverStdio, LAUNCHER, startProduct } from '../../../support/product.ts';

const FEED = 'porchlight://feed';
const PINNED = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;

/** The URIs of the notifications that a client has received. */
class ReceivedUris {
  readonly #uris: string[] = [];
  #wake: () => void = () => undefined;

  readonly add = (uri: string): void => {
    this.#uris.push(uri);
    this.#wake();
  };

  /** Waits until all of these were received, and removes all received so far. */
  async waitFor(...uris: string[]): Promise<void> {
    while (!uris.every((uri) => this.#uris.includes(uri)))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#uris.length = 0;
  }

  get pending(): readonly string[] {
    return this.#uris;
  }
}

type Subscribe = (uris: string[]) => Promise<ReceivedUris>;
type Settings = Readonly<Record<string, string>>;

async function connect2026(transport: Parameters<Client2026['connect']>[0]): Promise<Client2026> {
  const client = new Client2026({ name: 'a test', version: '1.0.0' }, PINNED);
  await client.connect(transport);
  return client;
}

const overHttp = (url: string): Promise<Client2026> =>
  connect2026(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));

const overStdio = (env: Record<string, string>): Promise<Client2026> =>
  connect2026(
    new StdioClientTransport({ command: process.execPath, args: [LAUNCHER, 'stdio'], cwd: tmpdir(), env }),
  );

async function listen(t: TestContext, client: Client2026, uris: string[]): Promise<ReceivedUris> {
  const received = new ReceivedUris();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    received.add(params.uri);
  });
  const { honoredFilter } = await client.listen({ resourceSubscriptions: uris });
  assert.deepEqual(honoredFilter, { resourceSubscriptions: uris });
  t.after(() => client.close());
  return received;
}

/** A client of each kind that can subscribe. */
function subscribersOf(t: TestContext, url: string, settings: Settings): Record<string, Subscribe> {
  return {
    'a client of 2026 over HTTP': async (uris) => listen(t, await overHttp(url), uris),
    'a client of 2026 over stdio': async (uris) => listen(t, await overStdio({ ...settings }), uris),
    'a client of 2025 over stdio': async (uris) => {
      const { client } = await launchOverStdio(settings);
      const received = new ReceivedUris();
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
        received.add(params.uri);
      });
      for (const uri of uris) await client.subscribeResource({ uri });
      t.after(() => client.close());
      return received;
    },
  };
}

async function publish(url: string, path: string, body: object): Promise<string> {
  const response = await postJson(url + path, body);
  assert.equal(response.status, 201);
  return ((await response.json()) as { id: string }).id;
}

const STORES: Readonly<Record<string, (t: TestContext) => Promise<Settings>>> = {
  'process on the folder': async (t) => ({ DATA_DIR: await temporaryFolder(t) }),
  'instance on the database': async (t) => ({ DATABASE_URL: await newDatabase(t) }),
};

for (const [other, createStore] of Object.entries(STORES))
  test(`subscribers are notified of writes over REST, also elsewhere in their thread, by this or another ${other}`, async (t) => {
    const settings = await createStore(t);
    const [here, there] = [await startProduct(settings), await startProduct(settings)];
    const idea = await publish(here.url, '/api/feed', { message: 'IDEA: subscribe' });
    const sibling = await publish(here.url, '/api/feed', { message: 'an earlier reply', replyTo: idea });
    const project = await publish(here.url, '/api/projects', { title: 'a', summary: 'b', by: 'c' });
    const [thread, porch] = [`porchlight://posts/${idea}`, `porchlight://projects/${project}`];
    // A resource of its own, which shows the same thread.
    const inThread = `porchlight://posts/${sibling}`;
    const readers = await Promise.all(
      Object.values(subscribersOf(t, here.url, settings)).map((subscribe) =>
        subscribe([FEED, thread, inThread, porch]),
      ),
    );

    for (const { url } of [here, there]) {
      const reply = await publish(url, '/api/feed', { message: 'a reply', replyTo: idea });
      for (const reader of readers) await reader.waitFor(FEED, thread, inThread);
      await publish(url, '/api/feed', { message: 'a reply to the reply', replyTo: reply });
      for (const reader of readers) await reader.waitFor(FEED, thread, inThread);
      await publish(url, `/api/projects/${project}/notes`, { name: 'a', note: 'b' });
      for (const reader of readers) await reader.waitFor(porch);
      await publish(url, '/api/guestbook', { name: 'a', note: 'a change without a subscriber' });
    }
    await publish(there.url, '/api/feed', { message: 'another thread' });
    for (const reader of readers) {
      await reader.waitFor(FEED);
      assert.deepEqual(reader.pending, []);
    }
    assert.deepEqual([await here.end('SIGTERM'), await there.end('SIGTERM')], [0, 0]);
  });

test('a server that stops ends its streams with their result', async (t) => {
  const here = await startProduct({ DATA_DIR: await temporaryFolder(t) });
  const client = await overHttp(here.url);
  const { closed } = await client.listen({ resourceSubscriptions: [FEED] });
  assert.equal(await here.end('SIGTERM'), 0);
  assert.equal(await closed, 'graceful');
  await client.close();
});

test('a client of 2025 over stdio can unsubscribe, and a subscription to an unknown resource is error -32002', async (t) => {
  const settings = { DATA_DIR: await temporaryFolder(t), FEED_POSTS_PER_HOUR: '0' };
  const here = await startProduct(settings);
  const { client } = await launchOverStdio(settings);
  const received = new ReceivedUris();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    received.add(params.uri);
  });
  const unknown = ['porchlight://nothing', 'https://example.org', '', 'porchlight://posts/post_x'];
  for (const uri of [...unknown, 'porchlight://projects/project_x'])
    await assert.rejects(client.subscribeResource({ uri }), { code: -32002 });
  await client.subscribeResource({ uri: FEED });
  await client.subscribeResource({ uri: 'porchlight://start' });
  await client.unsubscribeResource({ uri: FEED });
  await publish(here.url, '/api/feed', { message: 'x' });
  await received.waitFor('porchlight://start');
  assert.deepEqual(received.pending, []);
  await client.close();
  await here.end('SIGTERM');
});

const MAX_URIS = 100;

/** @returns the URIs of new posts in the folder */
async function threads(settings: Settings, count: number): Promise<string[]> {
  const here = await startProduct({ ...settings, FEED_POSTS_PER_HOUR: '0' });
  const ids = await Promise.all(
    Array.from({ length: count }, () => publish(here.url, '/api/feed', { message: 'x' })),
  );
  await here.end('SIGTERM');
  return ids.map((id) => `porchlight://posts/${id}`);
}

test('a client of 2025 over stdio can subscribe to at most 100 resources', async (t) => {
  const settings = { DATA_DIR: await temporaryFolder(t) };
  const uris = await threads(settings, MAX_URIS);
  const { client } = await launchOverStdio(settings);
  t.after(() => client.close());
  for (const uri of uris) await client.subscribeResource({ uri });
  await assert.rejects(client.subscribeResource({ uri: FEED }), { code: -32602, message: /at most 100/ });
  await client.subscribeResource({ uri: uris[0]! });
  await client.unsubscribeResource({ uri: uris[0]! });
  await client.subscribeResource({ uri: FEED });
});

test('a subscription of 2026 over stdio can name at most 100 resources, all of this server', async (t) => {
  const env = { DATA_DIR: await temporaryFolder(t) };
  const uris = await threads(env, MAX_URIS);
  const client = await overStdio(env);
  t.after(() => client.close());
  for (const refused of [
    [...uris, FEED],
    [FEED, 'porchlight://nothing'],
    [FEED, `${uris[0]}0`],
  ]) {
    await assert.rejects(client.listen({ resourceSubscriptions: refused }), { code: -32602 });
  }
  await client.listen({ resourceSubscriptions: uris });
});
