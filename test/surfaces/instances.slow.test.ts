import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sendRequest, type RequestOptions, type HttpResponse } from '../support/http/send-request.ts';
import { assertProblem } from '../support/http/problem.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { startProduct, type Product } from '../support/product.ts';
import { roundRobin } from '../support/http/tcp-forward.ts';

const FREE = { FEED_POSTS_PER_HOUR: '0', REQUESTS_PER_MINUTE: '0' };

interface Cluster {
  readonly instances: readonly Product[];
  /** Asks the balancer before them. */
  readonly ask: (line: string, asking?: RequestOptions) => Promise<HttpResponse>;
}

/** Three servers on one database behind a plain balancer. */
async function start(t: TestContext, more: Record<string, string> = {}): Promise<Cluster> {
  const settings = { DATABASE_URL: await newDatabase(t), ...more };
  const instances = await Promise.all([1, 2, 3].map(() => startProduct(settings)));
  t.after(() => Promise.all(instances.map(({ end }) => end('SIGKILL'))));
  const balancer = await roundRobin(
    t,
    instances.map(({ url }) => url),
  );
  return { instances, ask: (line, asking) => sendRequest(balancer, line, asking) };
}

const posting = (message: string, headers = {}): RequestOptions => ({ headers, body: { message } });

interface Page {
  nextBefore: string | null;
  totals: { messages: number };
  messages: { id: string; message: string; createdAt: string }[];
}

async function readAll({ ask }: Cluster): Promise<Page['messages']> {
  const all: Page['messages'] = [];
  for (let before = ''; ; ) {
    const page = (await ask(`GET /api/feed?limit=20${before}`)).json as Page;
    all.push(...page.messages);
    if (page.nextBefore === null) return all;
    before = `&before=${encodeURIComponent(page.nextBefore)}`;
  }
}

test('of 120 posts at once over three instances 24 are stored, and every instance says so', async (t) => {
  const cluster = await start(t);
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, n) => cluster.ask('POST /api/feed', posting(`${n}`))),
  );
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 201).length, 24);
  assert.equal(statuses.filter((status) => status === 429).length, 96);
  for (const { url } of cluster.instances) {
    const { totals } = (await sendRequest(url, 'GET /api/feed')).json as Page;
    assert.equal(totals.messages, 24);
    assertProblem(await sendRequest(url, 'POST /api/feed', posting('one more')), 429, 'rate_limited');
  }
});

test('while all instances write, pages taken from one after the other neither skip nor repeat, and a post is in the very next read', async (t) => {
  const cluster = await start(t, FREE);
  const written: string[] = [];
  const state = { isWriting: true };
  const writers = cluster.instances.map(async ({ url }, writer) => {
    for (let n = 0; n < 40; n++) {
      const { json } = await sendRequest(url, 'POST /api/feed', posting(`${writer} ${n}`));
      written.push(json.id as string);
      const { json: read } = await cluster.ask(`GET /api/posts/${json.id}`);
      assert.equal(read.post.id, json.id);
    }
  });
  const reader = (async () => {
    while (state.isWriting) {
      const known = [...written];
      const ids = (await readAll(cluster)).map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      const lost = known.filter((id) => !ids.includes(id));
      assert.deepEqual(lost, []);
    }
  })();
  await Promise.all(writers);
  state.isWriting = false;
  await reader;
  const all = await readAll(cluster);
  assert.deepEqual(all.map(({ id }) => id).sort(), written.sort());
  const stamps = all.map(({ createdAt }) => createdAt);
  assert.deepEqual(stamps, [...new Set(stamps)].sort().reverse());
});
