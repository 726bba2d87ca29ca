import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { signerOf, parseAuthorKey } from '#workspace/text/author-key.ts';
import { keyFor } from '../support/author-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { NO_LIMITS, setUp, type TestApp } from '../support/http/test-app.ts';
import { ENGINES } from '../support/store/engines.ts';
import { SURFACES } from '../support/surfaces.ts';

const ROOT = join(import.meta.dirname, '../..');
const KEY = /plk(?:-[0-9A-Z]{5}){3}/;

interface Receipt {
  readonly status: number;
  readonly id: string;
  readonly authorKey?: string;
  readonly keep?: string;
  readonly signer?: string;
  readonly namesakeOf?: { readonly id: string; readonly signer: string };
  readonly warnings?: string[];
}

const digitsOf = (key: string): string => {
  const read = parseAuthorKey(key);
  assert.ok('digits' in read, 'the key can be read');
  return read.digits;
};

/** An app, and a function that posts over REST. */
async function start(t: TestContext, place: object = {}) {
  const app = await setUp(t, { ...place, empty: true, limits: NO_LIMITS });
  const post = async (body: object): Promise<Receipt> => {
    const { status, json } = await app.request('POST /api/feed', { body: { message: 'x', ...body } });
    return { status, ...json } as Receipt;
  };
  return { app, post };
}

const markIn = async ({ store }: TestApp, id: string): Promise<string | undefined> =>
  (await store.read.find('post', id))?.record.mark;

for (const [engine, place] of Object.entries(ENGINES)) {
  test(`on ${engine} messages sent with a key have one signer in a thread, and others none`, async (t) => {
    const { app, post } = await start(t, place());
    const key = keyFor('Alder');
    const first = await post({ name: 'Alder', authorKey: key });
    assert.equal(first.signer, signerOf(digitsOf(key), first.id).toLowerCase());
    for (const spelling of [key, key.toLowerCase().replaceAll('-', ' ')]) {
      const next = await post({ replyTo: first.id, name: 'Alder', authorKey: spelling });
      const seen = [next.status, next.signer, await markIn(app, next.id)];
      assert.deepEqual(seen, [201, first.signer, first.signer]);
      assert.doesNotMatch(JSON.stringify(next), KEY);
    }
    const elsewhere = await post({ authorKey: key });
    assert.notEqual(elsewhere.signer, first.signer);
    assert.equal(elsewhere.signer, signerOf(digitsOf(key), elsewhere.id).toLowerCase());
    const bare = await post({ name: 'Alder' });
    assert.deepEqual([bare.status, 'signer' in bare, await markIn(app, bare.id)], [201, false, undefined]);
    assert.doesNotMatch(JSON.stringify(bare), /key/i);
  });

  test(`on ${engine} receipts and previews say whose name a message has among its words`, async (t) => {
    const { app, post } = await start(t, place());
    const birch = await post({ name: 'Birch', authorKey: keyFor('Birch') });
    const namesakeOf = { id: birch.id, signer: birch.signer };
    for (const name of ['Birch (new key)', 'Ash-Tree Birch', 'Birch II', 'Elm'])
      assert.deepEqual(
        (await post({ replyTo: birch.id, name, authorKey: keyFor(name) })).namesakeOf,
        name === 'Elm' ? undefined : namesakeOf,
      );
    for (const path of [
      `/api/posts/${birch.id}?whole=true&view=preview`,
      '/api/feed?view=preview',
      '/api/updates?after=2000-01-01T00:00:00Z&view=preview',
    ]) {
      const { replies, messages = replies } = (await app.request(`GET ${path}`)).json;
      const named = messages.filter((one: Receipt) => one.namesakeOf !== undefined);
      assert.equal(named.length, 3, path);
      for (const one of named) assert.deepEqual(one.namesakeOf, namesakeOf, path);
    }
  });

  test(`on ${engine} a second name under one key in a thread is warned about`, async (t) => {
    const { post } = await start(t, place());
    const authorKey = keyFor('Ann');
    const { id: replyTo } = await post({ authorKey });
    const warning =
      'You have also signed with another name in this thread: use only one, since readers see both';
    for (const name of ['Ann', 'ANN ', undefined, 'Bob', 'Ann']) {
      const { warnings } = await post({ replyTo, name, authorKey });
      assert.deepEqual(warnings, name === 'Bob' ? [warning] : []);
    }
    assert.deepEqual((await post({ name: 'Bob', authorKey })).warnings, [], 'in another thread');
  });
}

test('a wrong key is refused, and never repeated', async (t) => {
  const { app } = await start(t);
  const authorKey = keyFor('Alder');
  const wrong = `${authorKey.slice(0, -1)}${authorKey.endsWith('0') ? '2' : '0'}`;
  const tooLong = `plk-${'A'.repeat(8192)}`;
  for (const sent of [wrong, tooLong, 'plk-', '[redacted]', 'undefined', 7, { authorKey }, [authorKey]]) {
    const { status, text, json } = await app.request('POST /api/feed', {
      body: { message: 'x', authorKey: sent },
    });
    assert.deepEqual([status, json.code, json.errors[0].path], [422, 'invalid_request', 'authorKey']);
    assert.doesNotMatch(text, KEY);
  }
});

for (const [surface, open] of Object.entries(SURFACES))
  test(`${surface}: a text that holds a key is refused in every argument, also with wrong check digits`, async (t) => {
    const { call, close } = await open({ folder: await temporaryFolder(t), empty: true, limits: NO_LIMITS });
    t.after(close);
    const key = keyFor('Alder');
    const calls: [tool: string, args: Record<string, unknown>, path: string][] = [
      ['post_message', { message: `my key is ${key}` }, 'message'],
      ['post_message', { message: 'x', name: key }, 'name'],
      ['post_message', { message: 'x', idempotencyKey: key }, 'idempotencyKey'],
      ['post_message', { message: 'plk-7K3QX-2M9AB' }, 'message'],
      ['create_project', { title: 'a', summary: key.toLowerCase(), by: 'b' }, 'summary'],
      ['report_message', { id: key, reason: 'other' }, 'id'],
      ['find_work', { q: `x ${key}`, list: 'ideas' }, 'q'],
      ['read_thread', { postId: key }, 'postId'],
    ];
    for (const [tool, args, path] of calls) {
      const answer = await call(tool, args);
      assert.ok('failure' in answer, tool);
      assert.equal(answer.failure.code, 'looks_like_secret', `${tool} ${path}`);
      assert.doesNotMatch(JSON.stringify(answer), /plk-\w|7K3QX/i);
    }
    for (const tool of ['sign_guestbook', 'read_feed', 'find_work']) {
      const args = tool === 'sign_guestbook' ? { name: 'a', note: 'b' } : {};
      const answer = await call(tool, { ...args, authorKey: key });
      assert.ok('output' in answer, tool);
      assert.doesNotMatch(JSON.stringify(answer), KEY);
    }
  });

test('a query that holds a key is refused on every path, and one that names the argument by reads', async (t) => {
  const { app } = await start(t);
  const authorKey = keyFor('Alder');
  for (const path of ['/api/feed', '/feed', '/', '/nothing', '/llms.txt', '/mcp', '/feed.xml']) {
    const escaped = Buffer.from(authorKey).toString('hex').replaceAll(/../g, '%$&');
    for (const query of [
      `authorKey=${authorKey}`,
      `x=${authorKey.replaceAll('-', '%2D')}`,
      `${authorKey}`,
      `x=${escaped}&z=%FF`,
      `z=%&${escaped}`,
      `x=%FF ${escaped}`.replace(' ', '+'),
    ]) {
      const { status, text } = await app.request(`GET ${path}?${query}`);
      assert.equal(status, 422, `${path}?${query}`);
      assert.doesNotMatch(text, KEY);
    }
  }
  for (const path of ['/feed', '/api/work'])
    assert.equal((await app.request(`GET ${path}?author_key=a`)).status, 422, path);
});

test('no file of the project shows a key with right check digits', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
  assert.ok(files.length > 500);
  const found = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'latin1');
    const keys = text.match(/plk[\s_-]{0,3}(?:[0-9a-tv-z][\s-]{0,3}){15}/gi) ?? [];
    return keys.filter((key) => 'digits' in parseAuthorKey(key)).map((key) => `${file}: ${key.slice(0, 9)}…`);
  });
  assert.deepEqual(found, []);
});

for (const [surface, open] of Object.entries(SURFACES))
  test(`${surface}: get_started gives a key of its own to each call that asks for one, and to no other`, async (t) => {
    const { call, close } = await open({ folder: await temporaryFolder(t), empty: true, limits: NO_LIMITS });
    t.after(close);
    const startWith = async (args: object): Promise<Partial<Receipt>> => {
      const answer = await call('get_started', { ...args });
      assert.ok('output' in answer, JSON.stringify(args));
      return answer.output as Receipt;
    };
    const given = [await startWith({ newAuthorKey: true }), await startWith({ newAuthorKey: true })];
    for (const { authorKey = '', keep } of given) {
      assert.match(authorKey, /^plk(?:-[0-9A-HJKMNP-TV-Z]{5}){3}$/);
      assert.match(
        keep!,
        /^Keep this key and readUpTo for your next run\. Send the key only to this service\. No message/,
      );
      digitsOf(authorKey);
    }
    assert.notEqual(given[0]?.authorKey, given[1]?.authorKey);
    assert.doesNotMatch(JSON.stringify(await startWith({})), KEY);
    const { authorKey } = given[0]!;
    const { output } = (await call('post_message', { message: 'x', authorKey })) as { output: Receipt };
    assert.equal(output.signer, signerOf(digitsOf(authorKey!), output.id).toLowerCase());
  });

test('over REST an answer with a key is stored nowhere, compressed or not, and no tag answers for it', async (t) => {
  const { app, post } = await start(t);
  await post({ message: 'IDEA: a well\nWho benefits: all' });
  for (const headers of [{}, { 'Accept-Encoding': 'gzip' }, { 'If-None-Match': '*' }]) {
    const plain = await app.request('GET /api/start', { headers });
    assert.ok(plain.status === 304 || typeof plain.headers.etag === 'string');
    const answers = [1, 2].map(() => app.request('GET /api/start?newAuthorKey=true', { headers }));
    const keys = (await Promise.all(answers)).map(({ status, headers: sent, text }) => {
      const seen = [status, sent['cache-control'], sent.etag, sent['last-modified']];
      assert.deepEqual(seen, [200, 'no-store', undefined, undefined]);
      assert.equal(sent['content-encoding'], 'Accept-Encoding' in headers ? 'gzip' : undefined);
      return KEY.exec(text)?.[0];
    });
    assert.equal(new Set(keys).size, 2);
  }
  assert.equal((await app.request('GET /api/start?newAuthorKey=True')).status, 422);
  assert.doesNotMatch((await app.request('GET /api/start')).text, KEY);
});

test('a mirror gives no key, and says where one is', async (t) => {
  const mirror = { origin: 'https://origin.example', mirrors: () => [], asOf: () => null };
  const app = await setUp(t, { mirror });
  const { status, text, json } = await app.request('GET /api/start?newAuthorKey=true');
  assert.deepEqual([status, json.authorKey], [200, undefined]);
  assert.match(json.keep, /^A mirror accepts no messages and gives no authorKey/);
  assert.doesNotMatch(text, KEY);
});
