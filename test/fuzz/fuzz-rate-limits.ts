import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { fillIn, parseRoute } from '#tool/route.ts';
import type { TestApp } from '../support/http/test-app.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { loadTools } from '../../tools/load.ts';
import type { FuzzOptions } from './campaign.ts';
import { PROJECT_IDS } from './corpus.ts';
import { publishedRecord } from './publication-checks.ts';
import { formatRequest, toWriteRequest, type HttpRequest } from './http-request.ts';
import { toMcpRequest } from './mcp-requests.ts';
import { argumentsFor } from './values.ts';
import { createHttpClient } from './http-client.ts';
import { withService } from './with-service.ts';

const MINUTE_MS = 60_000;
const MAX_STEPS = 40;

/** Small limits, by the names that error responses use. */
const EXPECTED_LIMITS = {
  feed: [{ name: 'productionPostsPerNetworkPerHour', max: 2, span: 60 * MINUTE_MS }],
  porch: [
    { name: 'porchWritesPerVisitorPerHour', max: 2, span: 60 * MINUTE_MS },
    { name: 'porchWritesPerVisitorPerDay', max: 4, span: 24 * 60 * MINUTE_MS },
  ],
} as const;
const LIMITS = { feedPostsPerHour: 2, porchWritesPerHour: 2, porchWritesPerDay: 4, requestsPerMinute: 0 };

/** The client that each forwarded address counts as. */
const CLIENTS: Readonly<Record<string, string>> = {
  '': 'local',
  '127.0.0.9': 'local',
  '::1': 'local',
  nonsense: 'unknown',
  '999.1.1.1': 'unknown',
  '198.51.100.7': 'one',
  '198.51.100.7:99': 'one',
  '::ffff:198.51.100.7': 'one',
  '10.9.9.9, 198.51.100.7': 'one',
  '2001:db8::1': 'two',
  '2001:db8::ffff': 'two',
  '[2001:db8::2]:443': 'two',
  '2001:db8::1%eth0': 'two',
};

interface Step {
  tool: AnyTool;
  args: Record<string, unknown>;
  from: string;
  overMcp: boolean;
  /** Never exactly as long as the window of a limit. */
  waitMs: number;
}

/** Steps of few clients, so that they reach their limits. */
const stepSequences = (tools: readonly AnyTool[]): fc.Arbitrary<Step[]> =>
  fc.shuffledSubarray(Object.keys(CLIENTS), { minLength: 2, maxLength: 4 }).chain((addresses) => {
    const step = fc
      .constantFrom(...tools.filter(({ limitScope: budget }) => budget !== undefined))
      .chain((tool) =>
        fc.record({
          tool: fc.constant(tool),
          args: argumentsFor(tool),
          from: fc.constantFrom(...addresses),
          overMcp: fc.boolean(),
          waitMs: fc.constantFrom(0, 0, 0, 0, 7 * MINUTE_MS + 1, 61 * MINUTE_MS + 1),
        }),
      );
    return fc.array(step, { minLength: MAX_STEPS / 2, maxLength: MAX_STEPS, size: 'max' });
  });

function toRequest({ tool, args, from, overMcp }: Step): HttpRequest {
  const request = overMcp
    ? toMcpRequest('tools/call', { name: tool.name, arguments: args }, 1, undefined)
    : toWriteRequest(
        fillIn(parseRoute(tool).path, () => PROJECT_IDS[0]!),
        args,
      );
  return from === '' ? request : { ...request, headers: [...request.headers, ['X-Forwarded-For', from]] };
}

function rateLimitErrorIn(
  response: HttpResponse,
): { code: string; limit: string; retryAfterSeconds: number } | undefined {
  const { result } = response.json;
  const failure =
    response.status >= 400
      ? response.json
      : result?.isError === true
        ? JSON.parse(result.content[0].text)
        : undefined;
  return failure?.code === 'rate_limited' ? failure : undefined;
}

/**
 * Over any mix of REST and MCP, publications never exceed a limit, and no client is rejected below its limit.
 */
async function checkLimits(
  { url, clock }: TestApp,
  steps: readonly Step[],
  options: FuzzOptions,
): Promise<void> {
  const client = createHttpClient(url, options.deadlineMs);
  const writeTimes = new Map<string, number[]>();
  for (const step of steps) {
    clock.advance(step.waitMs);
    const response = await client.send(toRequest(step));
    options.tally.add('(limits)', response.status);
    const clientScope = `${CLIENTS[step.from]} ${step.tool.limitScope}`;
    const times = writeTimes.get(clientScope) ?? [];
    const used = (span: number): number => times.filter((time) => clock.now() - time < span).length;
    const rules = EXPECTED_LIMITS[step.tool.limitScope!];
    const error = rateLimitErrorIn(response);
    if (error !== undefined) {
      const rule = rules.find(({ name }) => name === error.limit)!;
      assert.equal(used(rule.span), rule.max, `rejected by ${rule.name}`);
      assert.ok(error.retryAfterSeconds >= 1 && error.retryAfterSeconds <= rule.span / 1000);
      if (response.status >= 400)
        assert.deepEqual(
          [response.status, response.header('Retry-After')],
          [429, String(error.retryAfterSeconds)],
        );
    } else if (publishedRecord(response)?.duplicate === false)
      writeTimes.set(clientScope, [...times, clock.now()]);
    for (const { max, span } of rules) {
      assert.ok(
        (writeTimes.get(clientScope) ?? []).filter((time) => clock.now() - time < span).length <= max,
        `${clientScope} exceeded ${max}`,
      );
    }
  }
  client.close();
}

export async function fuzzRateLimits(options: FuzzOptions): Promise<void> {
  const inputs = stepSequences(await loadTools());
  await options.campaign.check(
    { part: 'limits', seed: options.seed, runs: Math.ceil(options.requests / MAX_STEPS) },
    inputs,
    async (steps) => {
      await withService({ limits: LIMITS }, (setting) => checkLimits(setting, steps, options));
    },
    (steps) => steps.map((step) => `after ${step.waitMs} ms ${formatRequest(toRequest(step))}`).join('\n  '),
  );
}
