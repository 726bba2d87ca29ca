import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { StdioProcess } from '../support/mcp/stdio-process.ts';
import { serveOnStreams } from '../support/mcp/stdio-streams.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { temporaryFolder } from '../support/folder.ts';
import { NO_LIMITS } from '../support/http/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const CALLER = { clientKey: 'a test' };

/** A server on streams of this process. */
async function setUpStdio(t: TestContext) {
  const served = await serveOnStreams(t, { options: { limits: NO_LIMITS } });
  const { waiters } = served.workspace;
  return { ...served, untilWaiting: (count: number) => waitUntil(() => waiters.size === count) };
}

const call = (id: number, args: object, meta?: object) => ({
  id,
  method: 'tools/call',
  params: { name: 'wait_for_messages', arguments: args, ...(meta && { _meta: meta }) },
});

/** Calls with and without an envelope that only an SDK reads. */
const ENVELOPES: Readonly<Record<string, object>> = {
  'the usual way': {},
  'an SDK': { 'io.modelcontextprotocol/related-task': { taskId: 'a' } },
};

for (const [way, meta] of Object.entries(ENVELOPES)) {
  test(`over stdio a call through ${way} waits, with progress, and others are answered meanwhile`, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { send, lines, untilLines, untilWaiting, workspace } = await setUpStdio(t);
    send(call(1, { waitSeconds: 60 }, { ...meta, progressToken: 5 }));
    await untilWaiting(1);
    send({ id: 2, method: 'ping' });
    await untilLines(1);
    t.mock.timers.tick(15_000);
    await untilLines(2);
    await publishPost(workspace, { message: 'news' }, CALLER);
    await untilLines(3);
    const [pong, progress, answer] = lines;
    assert.equal(pong!.id, 2);
    assert.deepEqual(progress!.params, { progressToken: 5, progress: 15, total: 60 });
    assert.deepEqual([answer!.id, answer!.result.structuredContent.messages[0]?.message], [1, 'news']);
    t.mock.timers.tick(60_000);
    send({ id: 3, method: 'ping' });
    await untilLines(4);
    assert.equal(lines[3]!.id, 3, 'no progress after the response');
  });

  test(`over stdio notifications/cancelled ends a call through ${way}, which gets no response`, async (t) => {
    const { send, lines, untilLines, untilWaiting } = await setUpStdio(t);
    send(call(1, { waitSeconds: 240 }, meta));
    await untilWaiting(1);
    send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await untilWaiting(0);
    send({ id: 2, method: 'ping' });
    await untilLines(1);
    send({ id: 3, method: 'ping' });
    await untilLines(2);
    const ids = lines.map(({ id }) => id);
    assert.deepEqual(ids, [2, 3]);
  });
}

test('over stdio a request whose id is used again while it waits ends, with its progress, and the later one is answered', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { send, lines, untilLines, untilWaiting, workspace } = await setUpStdio(t);
  send(call(1, { waitSeconds: 240 }, { progressToken: 'first' }));
  await untilWaiting(1);
  send(call(1, { waitSeconds: 240 }, { progressToken: 'second' }));
  send({ id: 0, method: 'ping' });
  await untilLines(1);
  await untilWaiting(1);
  t.mock.timers.tick(15_000);
  await untilLines(2);
  await publishPost(workspace, { message: 'news' }, CALLER);
  await untilLines(3);
  t.mock.timers.tick(60_000);
  send({ id: 2, method: 'ping' });
  await untilLines(4);
  const inOrder = lines.map(({ id, params }) => id ?? (params as { progressToken: string }).progressToken);
  assert.deepEqual(inOrder, [0, 'second', 1, 2]);
});

test('over stdio the end of the input answers the calls that wait, and the process exits', async (t) => {
  const server = new StdioProcess(t, { DATA_DIR: await temporaryFolder(t) });
  const read = { id: 2, method: 'tools/call', params: { name: 'read_feed', arguments: {} } };
  server.send(call(1, { waitSeconds: 240 }), read);
  // By the time of this response the call before it waits.
  await server.repliesTo(2);
  server.end();
  const { status, signal } = await server.exited;
  assert.deepEqual([status, signal], [0, null]);
  assert.deepEqual(
    server.replies.map(({ id, result }) => [
      id,
      (result!['structuredContent'] as { timedOut?: boolean }).timedOut,
    ]),
    [
      [2, undefined],
      [1, true],
    ],
  );
});
