import assert from 'node:assert/strict';
import { once } from 'node:events';
import test, { type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { publishPost } from '#workspace/publishing/post.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { startApp } from '../../../support/http/app.ts';
import { postJson } from '../../../support/http/post-json.ts';
import { openListenStream, type ListenStream } from '../../../support/mcp/listen-stream.ts';
import { NO_LIMITS, IDEA, BEHIND_PROXY } from '../../../support/http/test-app.ts';
import { openTestWorkspace } from '../../../support/context.ts';
import { IS_THOROUGH } from '../../../support/thorough.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const FEED = 'porchlight://feed';
const MAX_URIS = 100;

/** Starts an app that counts the watches of its store. */
async function startCountedApp(t: TestContext) {
  const world = await openTestWorkspace({ folder: await temporaryFolder(t), limits: NO_LIMITS });
  let watches = 0;
  let stopped: () => void = () => undefined;
  const watch = world.store.watch.bind(world.store);
  world.store.watch = (listener) => {
    watches += 1;
    const unwatch = watch(listener);
    return () => {
      watches -= 1;
      unwatch();
      stopped();
    };
  };
  const app = await startApp(world, BEHIND_PROXY);
  // The app watches for itself as long as it runs.
  watches = 0;
  t.after(async () => {
    await app.close();
    await world.store.close();
  });
  const allStopped = async (): Promise<void> => {
    while (watches > 0)
      await new Promise<void>((resolve) => {
        stopped = resolve;
      });
  };
  const open = (uris: unknown, address?: string) =>
    openListenStream(app.url, uris, { ...(address !== undefined && { address }) });
  const openMany = (count: number, address: string) =>
    Promise.all(Array.from({ length: count }, () => open([FEED], address)));
  return { workspace: world.workspace, url: app.url, open, openMany, allStopped, watchCount: () => watches };
}

const isOpen = ({ head }: ListenStream): boolean =>
  head.startsWith('HTTP/1.1 200') && head.includes('event:');

const disconnect = (streams: readonly ListenStream[]): void => {
  for (const { socket } of streams) socket.destroy();
};

test('streams share one watch, end with their clients though their requests are garbage collected, and use up no limit', {
  timeout: 60_000,
}, async (t) => {
  const { openMany, allStopped, watchCount } = await startCountedApp(t);
  for (let round = 0; round < (IS_THOROUGH ? 8 : 3); round++) {
    const streams = await openMany(40, `192.0.2.${round % 2}`);
    assert.ok(streams.every(isOpen), streams.find((stream) => !isOpen(stream))?.head);
    assert.equal(watchCount(), 1);
    collectGarbage();
    disconnect(streams);
    await allStopped();
  }
});

test('a stream over the limit of its network or of all is 429, and a stream that ends frees its place', {
  timeout: 20_000,
}, async (t) => {
  const { open, openMany, allStopped } = await startCountedApp(t);
  const streams = await openMany(100, '192.0.2.1');
  const refused = streams.filter((stream) => !isOpen(stream));
  assert.equal(refused.length, 50);
  for (const { head } of refused) assert.match(head, /^HTTP\/1.1 429[^]*Retry-After: 60[^]*waitsPerNetwork/i);
  const others = await Promise.all([2, 3, 4].map((network) => openMany(50, `192.0.2.${network}`)));
  assert.ok(others.flat().every(isOpen));
  const { head } = await open([FEED], '192.0.2.5');
  assert.match(head, /^HTTP\/1.1 429/);
  assert.match(head, /"limit":"streams"/);
  disconnect([...streams, ...others.flat()]);
  await allStopped();
  const later = await open([FEED], '192.0.2.5');
  assert.ok(isOpen(later));
  disconnect([later]);
});

const thread = (n: number): string => `porchlight://posts/post_${n}`;

test('a subscription of 100 resources is served, and a change of one sends its URI to that stream only', {
  timeout: 20_000,
}, async (t) => {
  const { url, open, workspace } = await startCountedApp(t);
  const posts = await Promise.all(
    Array.from({ length: MAX_URIS - 1 }, (_, n) =>
      publishPost(workspace, { message: 'x' }, { clientKey: `client ${n}` }),
    ),
  );
  const threads = [IDEA, ...posts.map(({ id }) => id)].map((id) => `porchlight://posts/${id}`);
  const [busy, quiet] = [await open(threads), await open([threads[2]!])];
  assert.ok(isOpen(busy) && isOpen(quiet));
  quiet.socket.on('data', () => assert.fail('a change of another resource was sent'));
  const notified = once(busy.socket, 'data');
  await postJson(`${url}/api/feed`, { message: 'a reply', replyTo: IDEA });
  assert.match(String(await notified), new RegExp(`resources/updated.*${IDEA}`));
  disconnect([busy, quiet]);
});

/** More than the streams that a network may have. */
const timesOf = (index: number): number => (IS_THOROUGH || index === 0 ? 60 : 1);

const REFUSED: Readonly<Record<string, unknown>> = {
  '101 resources': Array.from({ length: MAX_URIS + 1 }, (_, n) => thread(n)),
  'one resource 101 times': Array.from({ length: MAX_URIS + 1 }, () => FEED),
  'an unknown resource': [FEED, 'porchlight://nothing'],
  'an unknown post': [FEED, thread(1)],
  'an unknown project': ['porchlight://projects/project_x'],
  'a resource of another server': ['https://example.org/feed'],
  'an empty URI': [''],
  'a URI of 8 KB': [`porchlight://posts/${'x'.repeat(8000)}`],
};

/** What only the SDK refuses. */
const MALFORMED = ['x', { 0: FEED }, 1e300, null, [[FEED]], [{}], [1], { length: 1e9 }];

test('a subscription that names what it may not is error -32602, says so, and counts against no limit', {
  timeout: 60_000,
}, async (t) => {
  const { open, watchCount } = await startCountedApp(t);
  for (const [index, [what, uris]] of Object.entries(REFUSED).entries())
    for (let n = 0; n < timesOf(index); n++) {
      const { socket, head } = await open(uris);
      socket.destroy();
      const { id, error } = JSON.parse(head.slice(head.indexOf('{'))) as {
        id: number;
        error: { code: number; data: { code: string } };
      };
      assert.deepEqual([id, error.code, error.data.code], [7, -32602, 'invalid_request'], what);
    }
  for (const [index, uris] of MALFORMED.entries())
    for (let n = 0; n < timesOf(index); n++) {
      const { socket, head } = await open(uris);
      socket.destroy();
      assert.match(head, /^HTTP\/1.1 200[^]*-32602/, JSON.stringify(uris));
    }
  assert.equal(watchCount(), 0);
});
