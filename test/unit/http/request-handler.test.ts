import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createRequestHandler } from '#http/request-handler.ts';
import type { Route } from '#http/responses/reply.ts';
import { StoreFailure } from '#store/port/store.ts';
import { toWorkspaceError } from '#workspace/service/errors.ts';
import { LAST_REQUEST, sendBytes } from '../../fuzz/send-bytes.ts';
import { openTestWorkspace } from '../../support/context.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { createExpressOnly, startApp } from '../../support/http/app.ts';
import { assertProblem } from '../../support/http/problem.ts';
import { sendRequest } from '../../support/http/send-request.ts';
import { BEHIND_PROXY, forwardedFor, IDEA, PROJECT, setUp } from '../../support/http/test-app.ts';
import { firstOf } from '../../support/thorough.ts';

const FEED = 'POST /api/feed';

/** Starts an app whose limits cannot be read, so that it cannot make RateLimit headers. */
async function withoutQuotas(t: TestContext, create: typeof createExpressOnly | undefined, disk?: 'forgets') {
  const made = await openTestWorkspace({ folder: await temporaryFolder(t), ...(disk && { disk }) });
  made.workspace.writeRateLimit.quotas = () =>
    Promise.reject(toWorkspaceError(new StoreFailure('nothing', 'too busy')));
  const app = await startApp(made, {}, create);
  t.after(async () => {
    await app.close();
    await made.store.close();
  });
  return { faults: app.faults, post: () => sendRequest(app.url, FEED, { body: { message: 'x' } }) };
}

for (const [way, create] of [
  ['the map', undefined],
  ['Express', createExpressOnly],
] as const) {
  test(`a stored post is 201 with the limits that its write has read (${way})`, async (t) => {
    const { status, headers } = await (await withoutQuotas(t, create)).post();
    assert.equal(status, 201);
    assert.match(String(headers['ratelimit']), /^"\w+";r=\d+;t=\d+$/);
  });

  test(`a post with unknown outcome is 503 storage_outcome_unknown without RateLimit headers (${way})`, async (t) => {
    const { post, faults } = await withoutQuotas(t, create, 'forgets');
    const response = await post();
    assertProblem(response, 503, 'storage_outcome_unknown');
    assert.deepEqual([response.header('Retry-After'), response.json.retryAfterSeconds], ['5', 5]);
    assert.equal(response.headers['ratelimit'], undefined);
    assert.equal(faults.length, 1, 'the cause is logged');
  });
}

test('a request is counted before it is looked at, and looked at once by either way', async (t) => {
  let looks = 0;
  const stopping = (): boolean => ++looks === 0;
  const { request } = await setUp(t, { limits: { requestsPerMinute: 2 } }, { ...BEHIND_PROXY, stopping });
  const statuses: number[] = [];
  const counts: number[] = [];
  for (const Origin of [undefined, 'http://localhost', undefined, 'http://localhost']) {
    looks = 0;
    const headers = { ...forwardedFor('192.0.2.9'), Origin };
    statuses.push((await request('GET /api/feed?before=plk-01234-56789-ABCDE', { headers })).status);
    counts.push(looks);
  }
  assert.deepEqual(statuses, [422, 422, 429, 429]);
  assert.deepEqual(counts, [1, 1, 0, 0]);
});

/** The bytes of a response, apart from its time. */
async function bytesOf(url: string, line: string, headers: string, body = ''): Promise<string> {
  const head = `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head + body), LAST_REQUEST]);
  const response = await sendBytes(url, bytes, { deadlineMs: 10_000 });
  return response.toString('latin1').replaceAll(/^Date: .+\r\n/gm, '');
}

const VARIANTS: readonly [query: string, headers: string][] = [
  ['', 'Accept: text/html\r\n'],
  ['?unknown=1', 'Accept: text/markdown\r\nAccept-Encoding: gzip\r\n'],
  ['?limit=2', 'If-None-Match: *\r\n'],
];

test('every address of the table is answered by the map as by Express', async (t) => {
  let routes: readonly Route[] = [];
  const options = { contact: 'ops@porch.example' };
  const map = await setUp(t, options, {}, (appOptions) => {
    const door = createRequestHandler(appOptions);
    ({ routes } = door);
    return door.listener;
  });
  const express = await setUp(t, options, {}, createExpressOnly);
  assert.ok(routes.length > 60);
  for (const { method, path } of routes) {
    const target = path
      .replace('{postId}', IDEA)
      .replace('{projectId}', PROJECT)
      .replace('{day}', '2026-02-25');
    for (const one of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
      const line = `${one} ${target}`;
      for (const [query, headers] of one === 'HEAD' ? firstOf(VARIANTS) : VARIANTS) {
        const [ours, theirs] = await Promise.all(
          [map, express].map(({ url }) => bytesOf(url, line + query, headers)),
        );
        assert.equal(ours, theirs, `${line}${query} ${headers}`);
        assert.doesNotMatch(ours!, /^HTTP\/1.1 (?:404|405|500)/, line);
      }
    }
  }
});
