import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { sendRequest, type RequestOptions, type HttpResponse } from '../support/http/send-request.ts';
import { assertProblem } from '../support/http/problem.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { startProduct, type Product } from '../support/product.ts';
import { roundRobin } from '../support/http/tcp-forward.ts';

const FREE = { FEED_POSTS_PER_HOUR: '0', REQUESTS_PER_MINUTE: '0' };

interface Cluster {
  settings: Readonly<Record<string, string>>;
  instances: Product[];
  /** Asks the balancer before them. */
  ask: (line: string, asking?: RequestOptions) => Promise<HttpResponse>;
  balancer: string;
}

interface Cleanup {
  after: (fn: () => unknown) => void;
}

/** Three servers on one database behind a plain balancer. */
async function start(test: Cleanup, more: Record<string, string> = {}): Promise<Cluster> {
  const settings = { DATABASE_URL: await newDatabase(test), ...more };
  const instances = await Promise.all([1, 2, 3].map(() => startProduct(settings)));
  test.after(() => Promise.all(instances.map(({ end }) => end('SIGKILL'))));
  const balancer = await roundRobin(
    test,
    instances.map(({ url }) => url),
  );
  return { settings, instances, balancer, ask: (line, asking) => sendRequest(balancer, line, asking) };
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

describe('three instances on one database', async () => {
  const cluster = await start({ after }, FREE);

  it('while all instances write, pages taken from one after the other neither skip nor repeat, and a post is in the very next read', async () => {
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

  it('an instance that is stopped finishes what it was asked, and the others go on', async () => {
    const { instances } = cluster;
    const [first, second] = instances;
    const messages = async (): Promise<number> =>
      ((await sendRequest(second!.url, 'GET /api/feed')).json as Page).totals.messages;
    const before = await messages();
    const posts = Array.from({ length: 60 }, (_, n) =>
      sendRequest(first?.url ?? '', 'POST /api/feed', posting(`${n}`)).catch(() => undefined),
    );
    await Promise.race(posts);
    assert.equal(await first?.end('SIGTERM'), 0);
    const stored = (await Promise.all(posts)).filter((told) => told?.status === 201).length;
    assert.equal(await messages(), before + stored);
    for (const { url } of instances.slice(1))
      assert.equal((await sendRequest(url, 'POST /api/feed', posting(url))).status, 201);
  });
});
