import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { META_2026 } from '../support/mcp/listen-stream.ts';
import { StdioProcess } from '../support/mcp/stdio-process.ts';
import { runProgram } from '../support/product.ts';
import { holdOpening } from '../support/store/held-store.ts';
import { addPost } from '../support/store/writes.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
type Revision = (typeof REVISIONS)[number];

function request(revision: Revision, id: string, method: string, params: object = {}): object {
  return { id, method, params: { ...params, ...(revision === '2026-07-28' && { _meta: META_2026 }) } };
}

const call = (revision: Revision, id: string, name: string, args: object = {}): object =>
  request(revision, id, 'tools/call', { name, arguments: args });

/** What a client asks first. */
const firstRequest = (revision: Revision): object =>
  revision === '2025-11-25'
    ? request(revision, 'first', 'initialize', {
        protocolVersion: revision,
        capabilities: {},
        clientInfo: { name: 'a test', version: '1.0.0' },
      })
    : request(revision, 'first', 'server/discover');

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];
const WITHOUT_STORE = ['first', ...LISTS];

/** Requests that no store is needed for: their ids are `WITHOUT_STORE`. */
const requestsWithoutStore = (revision: Revision): object[] => [
  firstRequest(revision),
  ...LISTS.map((method) => request(revision, method, method)),
];

const WITH_STORE = ['post', 'read', 'start', 'wait', 'resource', 'completion', 'prompt', 'subscription'];

/** Requests that a store is needed for: their ids are `WITH_STORE`. The last one of 2026-07-28 has no response. */
function requestsWithStore(revision: Revision, postId: string): object[] {
  const uri = `porchlight://posts/${postId}`;
  return [
    call(revision, 'post', 'post_message', { message: 'early' }),
    call(revision, 'read', 'read_thread', { postId }),
    call(revision, 'start', 'get_started'),
    call(revision, 'wait', 'wait_for_messages', { after: '2000-01-01T00:00:00Z', waitSeconds: 200 }),
    request(revision, 'resource', 'resources/read', { uri }),
    request(revision, 'completion', 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'review' },
      argument: { name: 'postId', value: 'post_' },
    }),
    request(revision, 'prompt', 'prompts/get', { name: 'review', arguments: { postId } }),
    revision === '2025-11-25'
      ? request(revision, 'subscription', 'resources/subscribe', { uri })
      : request(revision, 'subscription', 'subscriptions/listen', {
          notifications: { resourceSubscriptions: [uri] },
        }),
  ];
}

interface Held {
  readonly folder: string;
  /** Of the only post. */
  readonly postId: string;
  /** Of a process whose opening waits for `release`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly release: () => void;
}

/** A data folder with a post. */
async function heldFolder(t: TestContext): Promise<Held> {
  const folder = await temporaryFolder(t);
  const options = { folder, clock: { now: () => Date.now() }, report: () => undefined };
  const store = await openFolderStore(options);
  const { record } = await addPost(store, 'a text');
  await addPost(store, 'another');
  await store.close();
  const { settings, release } = holdOpening(folder);
  return { folder, postId: record.id, settings: { DATA_DIR: folder, ...settings }, release };
}

for (const revision of REVISIONS) {
  test(`while the store opens, ${revision} is answered what needs no store, and the rest once it is open`, async (t) => {
    const { folder, postId, settings, release } = await heldFolder(t);
    const server = new StdioProcess(t, settings);
    const waiting = requestsWithStore(revision, postId);
    // Behind a subscription other requests wait too, until that is checked.
    server.send(...waiting.slice(0, -1), ...requestsWithoutStore(revision), ...waiting.slice(-1));
    const early = await server.repliesTo(...WITHOUT_STORE);
    assert.deepEqual(server.replies.map(({ id }) => id).sort(), [...WITHOUT_STORE].sort());
    release();
    const answered = revision === '2025-11-25' ? WITH_STORE : WITH_STORE.slice(0, -1);
    for (const { id, result } of await server.repliesTo(...answered)) {
      assert.ok(result, String(id));
      assert.notEqual(result['isError'], true, String(id));
    }
    // Its subscription has every later change.
    if (revision === '2026-07-28') await server.notice('notifications/subscriptions/acknowledged');
    server.send(call(revision, 'reply', 'post_message', { message: 'a reply', replyTo: postId }));
    const notice = await server.notice('notifications/resources/updated');
    assert.equal(notice.params?.['uri'], `porchlight://posts/${postId}`);
    // An open store answers the same.
    const open = new StdioProcess(t, { DATA_DIR: folder });
    open.send(call(revision, 'read', 'read_feed'));
    await open.repliesTo('read');
    open.send(...requestsWithoutStore(revision));
    assert.deepEqual(await open.repliesTo(...WITHOUT_STORE), early);
  });
}

test('requests are answered before the process ends if standard input ends while the store opens, but for a cancelled one', async (t) => {
  const { postId, settings, release } = await heldFolder(t);
  const server = new StdioProcess(t, settings);
  server.send(
    firstRequest('2025-11-25'),
    call('2025-11-25', 'post', 'post_message', { message: 'last words' }),
    call('2025-11-25', 'cancelled', 'wait_for_messages', { waitSeconds: 200, posts: [postId] }),
    { method: 'notifications/cancelled', params: { requestId: 'cancelled' } },
  );
  server.end();
  await server.repliesTo('first');
  release();
  const { status, stderr } = await server.exited;
  assert.equal(status, 0, stderr);
  const ids = server.replies.map(({ id }) => id);
  assert.deepEqual(ids, ['first', 'post']);
});

test('a signal while the store opens ends the process at once', async (t) => {
  const { settings } = await heldFolder(t);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const server = new StdioProcess(t, settings);
    server.send(firstRequest('2025-11-25'));
    await server.repliesTo('first');
    server.kill(signal);
    assert.equal((await server.exited).signal, signal);
  }
});

/** Damages the first text: the lines behind it build on its line. */
function damage(folder: string): void {
  const path = join(folder, 'log.jsonl');
  writeFileSync(path, readFileSync(path, 'latin1').replace('a text', 'a tExt'), 'latin1');
}

test('a store that turns out to be damaged ends the process with the message and the exit code of every start', async (t) => {
  const { folder, settings: held, release } = await heldFolder(t);
  damage(folder);
  const settings = { DATA_DIR: folder, LOG_LEVEL: 'fatal', PORT: '0' };
  const server = new StdioProcess(t, { ...held, ...settings });
  server.send(firstRequest('2025-11-25'), call('2025-11-25', 'read', 'read_feed'));
  await server.repliesTo('first');
  release();
  const { status, stderr } = await server.exited;
  assert.match(stderr, /line 1 was stored, and is damaged or missing/);
  assert.deepEqual({ status, stdout: '', stderr }, await runProgram(['serve'], settings));
  assert.equal(server.replies.length, 1);
});

type MakeSettings = (t: TestContext) => Promise<Readonly<Record<string, string>>>;

const REFUSED: Readonly<Record<string, readonly [status: number, make: MakeSettings]>> = {
  'a damaged log': [
    1,
    async (t) => {
      const { folder, release } = await heldFolder(t);
      release();
      damage(folder);
      return { DATA_DIR: folder };
    },
  ],
  'a data folder below a file': [
    1,
    async (t) => {
      const file = join(await temporaryFolder(t), 'file');
      writeFileSync(file, '');
      return { DATA_DIR: join(file, 'data') };
    },
  ],
  'a database that nobody serves': [1, async () => ({ DATABASE_URL: 'postgres://user@127.0.0.1:1/db' })],
  'a setting of a wrong form': [2, async () => ({ STORE_MAX_BYTES: 'much' })],
};

for (const [what, [expected, make]] of Object.entries(REFUSED)) {
  test(`${what} ends the process as it ends serve, with and without messages, while standard input is open`, async (t) => {
    const settings = { PORT: '0', LOG_LEVEL: 'fatal', ...(await make(t)) };
    const { status, stderr } = await runProgram(['serve'], settings);
    assert.equal(status, expected);
    for (const revision of [undefined, ...REVISIONS]) {
      const server = new StdioProcess(t, settings);
      if (revision !== undefined) server.send(firstRequest(revision), call(revision, 'read', 'read_feed'));
      const exited = await server.exited;
      assert.deepEqual({ status: exited.status, stderr: exited.stderr }, { status, stderr });
      const reply = server.replies.find(({ id }) => id === 'read');
      assert.equal(reply, undefined);
    }
  });
}

test('the end of standard input ends a process whose store still opens, if no request is open', async (t) => {
  const { settings } = await heldFolder(t);
  const server = new StdioProcess(t, settings);
  server.send(firstRequest('2025-11-25'));
  await server.repliesTo('first');
  server.end();
  assert.deepEqual(await server.exited, { status: 0, signal: null, stderr: '' });
});
