import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { StoreFailure } from '#store/port/store.ts';
import { toWorkspaceError } from '#workspace/service/errors.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { createExpressOnly, startApp } from '../../../support/http/app.ts';
import { assertProblem } from '../../../support/http/problem.ts';
import { BEHIND_PROXY, forwardedFor, setUp } from '../../../support/http/test-app.ts';
import { sendRequest } from '../../../support/http/send-request.ts';
import { openTestWorkspace } from '../../../support/context.ts';

const FEED = 'POST /api/feed';

/** Starts an app whose limits cannot be read, so that it cannot make RateLimit headers. */
async function withoutQuotas(t: TestContext, create: typeof createExpressOnly | undefined, disk?: 'forgets') {
  const made = await openTestWorkspace({ folder: await temporaryFolder(t), ...(disk && { disk }) });
  const quotas: Workspace['quotas'] = () =>
    Promise.reject(toWorkspaceError(new StoreFailure('nothing', 'too busy')));
  const app = await startApp({ ...made, workspace: { ...made.workspace, quotas } }, {}, create);
  t.after(async () => {
    await app.close();
    await made.store.close();
  });
  return { ...made, post: () => sendRequest(app.url, FEED, { body: { message: 'x' } }) };
}

for (const [way, create] of [
  ['the fast path', undefined],
  ['Express', createExpressOnly],
] as const) {
  test(`a stored post is 201 without RateLimit headers when the limits cannot be read (${way})`, async (t) => {
    const { status, headers } = await (await withoutQuotas(t, create)).post();
    assert.deepEqual([status, headers['ratelimit']], [201, undefined]);
  });

  test(`a post with unknown outcome is 503 storage_outcome_unknown without RateLimit headers (${way})`, async (t) => {
    const response = await (await withoutQuotas(t, create, 'forgets')).post();
    assertProblem(response, 503, 'storage_outcome_unknown');
    assert.equal(response.headers['ratelimit'], undefined);
  });
}

test('a post is 503 on the fast path while the service is stopping or frozen', async (t) => {
  assertProblem(
    await (await setUp(t, {}, { stopping: () => true })).request(FEED, { body: { message: 'x' } }),
    503,
    'shutting_down',
  );
  assertProblem(
    await (await setUp(t, { frozen: true })).request(FEED, { body: { message: 'x' } }),
    503,
    'frozen',
  );
});

test('the request rate limit counts each post on the fast path once', async (t) => {
  const { request } = await setUp(t, { limits: { requestsPerMinute: 5 } }, BEHIND_PROXY);
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++) {
    // An invalid post counts once too.
    const body = n % 2 === 0 ? { message: `${n}` } : {};
    statuses.push((await request(FEED, { headers: forwardedFor('192.0.2.9'), body })).status);
  }
  assert.deepEqual(statuses, [201, 422, 201, 422, 201, 429, 429, 429]);
});
