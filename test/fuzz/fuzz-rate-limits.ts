import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { fillIn, routeOf } from '#tool/route.ts';
import type { TestApp } from '../support/http/test-app.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { loadTools } from '../../tools/load.ts';
import type { Plan } from './campaign.ts';
import { PROJECT_IDS } from './corpus.ts';
import { JSON_BODY, MCP_ACCEPT, OWN_HOST, type Header } from './headers.ts';
import { publishedIn } from './publication-checks.ts';
import type { Sending } from './requests.ts';
import { showSending } from './format-request.ts';
import { argumentsFor, asValue, writeObject, type Members } from './values.ts';
import { openWire } from './http-client.ts';
import { within } from './with-service.ts';

const MINUTE_MS = 60_000;
const STEPS = 40;

/** Small ones, under their public names. */
const RULES = {
  feed: [{ name: 'productionPostsPerNetworkPerHour', max: 2, span: 60 * MINUTE_MS }],
  porch: [
    { name: 'porchWritesPerVisitorPerHour', max: 2, span: 60 * MINUTE_MS },
    { name: 'porchWritesPerVisitorPerDay', max: 4, span: 24 * 60 * MINUTE_MS },
  ],
} as const;
const LIMITS = { feedPostsPerHour: 2, porchWritesPerHour: 2, porchWritesPerDay: 4, requestsPerMinute: 0 };

/** Who each forwarded address is. */
const VISITORS: Readonly<Record<string, string>> = {
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
  args: Members;
  from: string;
  overMcp: boolean;
  /** Never just as long as a limit looks back. */
  waitMs: number;
}

/** A few visitors, so that they come to their limits. */
const steps = (tools: readonly AnyTool[]): fc.Arbitrary<Step[]> =>
  fc.shuffledSubarray(Object.keys(VISITORS), { minLength: 2, maxLength: 4 }).chain((addresses) => {
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
    return fc.array(step, { minLength: STEPS / 2, maxLength: STEPS, size: 'max' });
  });

function toSending({ tool, args, from, overMcp }: Step): Sending {
  const forwarded: Header[] = from === '' ? [] : [['X-Forwarded-For', from]];
  const call = writeObject([
    ['jsonrpc', '2.0'],
    ['id', 1],
    ['method', 'tools/call'],
    [
      'params',
      asValue([
        ['name', tool.name],
        ['arguments', asValue(args)],
      ]),
    ],
  ]);
  return {
    method: 'POST',
    target: overMcp ? '/mcp' : fillIn(routeOf(tool).path, () => PROJECT_IDS[0]!),
    headers: [OWN_HOST, JSON_BODY, ...(overMcp ? [MCP_ACCEPT] : []), ...forwarded],
    body: Buffer.from(overMcp ? call : writeObject(args)),
  };
}

function refusalIn(
  told: HttpResponse,
): { code: string; limit: string; retryAfterSeconds: number } | undefined {
  const { result } = told.json;
  const failure =
    told.status >= 400
      ? told.json
      : result?.isError === true
        ? JSON.parse(result.content[0].text)
        : undefined;
  return failure?.code === 'rate_limited' ? failure : undefined;
}

/** What is published never exceeds a limit, through any mix of doors; and nobody is refused who has a place left. */
async function examine({ url, clock }: TestApp, all: readonly Step[], plan: Plan): Promise<void> {
  const wire = openWire(url, plan.deadlineMs);
  const written = new Map<string, number[]>();
  for (const step of all) {
    clock.advance(step.waitMs);
    const told = await wire.send(toSending(step));
    plan.tally.add('(limits)', told.status);
    const visitor = `${VISITORS[step.from]} ${step.tool.limitScope}`;
    const times = written.get(visitor) ?? [];
    const used = (span: number): number => times.filter((time) => clock.now() - time < span).length;
    const rules = RULES[step.tool.limitScope!];
    const refusal = refusalIn(told);
    if (refusal !== undefined) {
      const rule = rules.find(({ name }) => name === refusal.limit)!;
      assert.equal(used(rule.span), rule.max, `refused by ${rule.name}`);
      assert.ok(refusal.retryAfterSeconds >= 1 && refusal.retryAfterSeconds <= rule.span / 1000);
      if (told.status >= 400)
        assert.deepEqual([told.status, told.header('Retry-After')], [429, String(refusal.retryAfterSeconds)]);
    } else if (publishedIn(told)?.duplicate === false) written.set(visitor, [...times, clock.now()]);
    for (const { max, span } of rules) {
      assert.ok(
        (written.get(visitor) ?? []).filter((time) => clock.now() - time < span).length <= max,
        `${visitor} went over ${max}`,
      );
    }
  }
  wire.close();
}

export async function fuzzLimits(plan: Plan): Promise<void> {
  const inputs = steps(await loadTools());
  await plan.campaign.check(
    { part: 'limits', seed: plan.seed, runs: Math.ceil(plan.requests / STEPS) },
    inputs,
    async (all) => {
      await within({ limits: LIMITS }, (setting) => examine(setting, all, plan));
    },
    (all) => all.map((step) => `after ${step.waitMs} ms ${showSending(toSending(step))}`).join('\n  '),
  );
}
