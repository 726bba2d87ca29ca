import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NO_LIMITS, type TestApp } from '../support/http/test-app.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { loadTools } from '../../tools/load.ts';
import type { FuzzOptions } from './campaign.ts';
import { mcpRequests } from './mcp-requests.ts';
import { OWN_HOST } from './headers.ts';
import { restRequests, type HttpRequest } from './requests.ts';
import { formatRequest } from './format-request.ts';
import { createHttpClient } from './http-client.ts';
import { withService } from './with-service.ts';

const MAX_REQUESTS = 20;
const REQUESTS = 60;
/**
 * Sent before the limit counts a request: by the HTTP parser, to preflights, to foreign hosts, to invalid
 * targets.
 */
const UNCOUNTED_STATUSES = [204, 400, 403, 414, 431];

const from =
  (address: string) =>
  (request: HttpRequest): HttpRequest => ({
    ...request,
    headers: [
      ...request.headers.filter(([name]) => name !== 'X-Forwarded-For'),
      ['X-Forwarded-For', address],
    ],
  });

function problemIn(response: HttpResponse) {
  const { error = null, ...problem } = response.json;
  return error === null ? problem : error.data;
}

/** One address gets at most MAX_REQUESTS responses without 429; the requests of another address succeed. */
async function checkRequestLimit(
  { url }: TestApp,
  requests: readonly HttpRequest[],
  { tally, deadlineMs }: FuzzOptions,
): Promise<void> {
  const client = createHttpClient(url, deadlineMs);
  let counted = 0;
  for (const request of requests.map(from('203.0.113.5'))) {
    const response = await client.send(request);
    tally.add('(shield)', response.status);
    if (response.status !== 429) counted += UNCOUNTED_STATUSES.includes(response.status) ? 0 : 1;
    else if (request.method !== 'HEAD') {
      const { code, limit, retryAfterSeconds } = problemIn(response);
      assert.deepEqual(
        [code, limit, response.header('Retry-After')],
        ['rate_limited', 'requestsPerMinute', String(retryAfterSeconds)],
      );
      assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 60);
    }
    assert.ok(counted <= MAX_REQUESTS, `${counted} requests were accepted`);
  }
  const read: HttpRequest = { method: 'GET', target: '/api/feed', headers: [OWN_HOST], body: undefined };
  for (const request of [read, from('203.0.113.6')(read)])
    assert.equal((await client.send(request)).status, 200, formatRequest(request));
  client.close();
}

export async function fuzzRequestLimit(options: FuzzOptions): Promise<void> {
  const tools = await loadTools();
  const inputs = fc.array(fc.oneof(restRequests(tools, ['/', '/feed.xml']), mcpRequests(tools)), {
    minLength: REQUESTS,
    maxLength: REQUESTS,
  });
  await options.campaign.check(
    { part: 'shield', seed: options.seed, runs: 1 },
    inputs,
    async (requests) => {
      await withService({ limits: { ...NO_LIMITS, requestsPerMinute: MAX_REQUESTS } }, (setting) =>
        checkRequestLimit(setting, requests, options),
      );
    },
    (requests) => requests.map(formatRequest).join('\n  '),
  );
}
