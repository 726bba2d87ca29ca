import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NO_LIMITS, type TestApp } from '../support/http/test-app.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { loadTools } from '../../tools/load.ts';
import type { Plan } from './campaign.ts';
import { callsTo } from './mcp-requests.ts';
import { OWN_HOST } from './headers.ts';
import { requestsTo, type Sending } from './requests.ts';
import { showSending } from './format-request.ts';
import { openWire } from './http-client.ts';
import { within } from './with-service.ts';

const MOST = 20;
const REQUESTS = 60;
/** Answers that need no shield: of the parser of HTTP, to a preflight, to a stranger, to an address that cannot be read. */
const BEFORE = [204, 400, 403, 414, 431];

const from =
  (address: string) =>
  (sending: Sending): Sending => ({
    ...sending,
    headers: [
      ...sending.headers.filter(([name]) => name !== 'X-Forwarded-For'),
      ['X-Forwarded-For', address],
    ],
  });

function problemIn(told: HttpResponse) {
  const { error = null, ...problem } = told.json;
  return error === null ? problem : error.data;
}

/** Whatever one address sends, no more than so many requests of it are let through; another is not held up by that. */
async function examine(
  { url }: TestApp,
  sendings: readonly Sending[],
  { tally, deadlineMs }: Plan,
): Promise<void> {
  const wire = openWire(url, deadlineMs);
  let passed = 0;
  for (const sending of sendings.map(from('203.0.113.5'))) {
    const told = await wire.send(sending);
    tally.add('(shield)', told.status);
    if (told.status !== 429) passed += BEFORE.includes(told.status) ? 0 : 1;
    else if (sending.method !== 'HEAD') {
      const { code, limit, retryAfterSeconds } = problemIn(told);
      assert.deepEqual(
        [code, limit, told.header('Retry-After')],
        ['rate_limited', 'requestsPerMinute', String(retryAfterSeconds)],
      );
      assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 60);
    }
    assert.ok(passed <= MOST, `${passed} were let through`);
  }
  const read: Sending = { method: 'GET', target: '/api/feed', headers: [OWN_HOST], body: undefined };
  for (const sending of [read, from('203.0.113.6')(read)])
    assert.equal((await wire.send(sending)).status, 200, showSending(sending));
  wire.close();
}

export async function fuzzShield(plan: Plan): Promise<void> {
  const tools = await loadTools();
  const inputs = fc.array(fc.oneof(requestsTo(tools, ['/', '/feed.xml']), callsTo(tools)), {
    minLength: REQUESTS,
    maxLength: REQUESTS,
  });
  await plan.campaign.check(
    { part: 'shield', seed: plan.seed, runs: 1 },
    inputs,
    async (sendings) => {
      await within({ limits: { ...NO_LIMITS, requestsPerMinute: MOST } }, (setting) =>
        examine(setting, sendings, plan),
      );
    },
    (sendings) => sendings.map(showSending).join('\n  '),
  );
}
