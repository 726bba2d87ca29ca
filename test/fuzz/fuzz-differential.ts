import assert from 'node:assert/strict';
import fc from 'fast-check';
import { loadTools } from '../../tools/load.ts';
import { createRequestHandler } from '#http/request-handler.ts';
import type { Route } from '#http/responses/reply.ts';
import { createExpressOnly } from '../support/http/app.ts';
import { NO_LIMITS, BEHIND_PROXY, setUp, type TestApp } from '../support/http/test-app.ts';
import type { FuzzOptions } from './campaign.ts';
import { formatRequest, toBytes, type HttpRequest } from './http-request.ts';
import { mcpRequests } from './mcp-requests.ts';
import { formRequests, restRequests } from './requests.ts';
import { LAST_REQUEST, sendBytes } from './send-bytes.ts';
import { respelling } from './spelling.ts';
import { createCleanup } from './cleanup.ts';
import { createSdkOracle } from '../support/mcp/sdk-oracle.ts';

/** Requests to one pair of services, so that their lists stay short. */
const REQUESTS_PER_ROUND = 1000;

/**
 * Write limits are on, so that 429s and their headers are compared; the request limit is off, since it uses
 * real time.
 */
const CONTEXT_OPTIONS = {
  limits: {
    ...NO_LIMITS,
    feedPostsPerHour: 4,
    porchWritesPerHour: 4,
    porchWritesPerDay: 8,
    requestsPerMinute: 0,
  },
};
const APP_OPTIONS = {
  ...BEHIND_PROXY,
  accessPolicy: {
    allowedHosts: ['127.0.0.1', 'localhost'],
    allowedOrigins: ['http://localhost'],
    isLocal: true,
  },
};

/** A request, and a plain one that is sent before it and may fill a cache. */
interface Variation {
  readonly plain: HttpRequest;
  readonly changed: HttpRequest;
  /** The If-None-Match of the last repetition, made of the entity tag of the first response. */
  readonly condition: (etag: string) => string;
  /** How far the clock advances after the plain request. */
  readonly waitMs: number;
}

const conditions = fc.constantFrom(
  (etag: string) => etag,
  (etag: string) => `W/${etag}`,
  (etag: string) => `"x", ${etag}`,
  (etag: string) => `${etag},W/"x"`,
  (etag: string) => ` ${etag} `,
  (etag: string) => etag.toLowerCase(),
  (etag: string) => etag.replaceAll('"', ''),
  () => '*',
  () => '"x"',
  () => '',
);

const variations = (requests: fc.Arbitrary<HttpRequest>): fc.Arbitrary<Variation> =>
  fc
    .record({
      plain: requests,
      respell: respelling,
      condition: conditions,
      waitMs: fc.constantFrom(0, 0, 0, 1000, 600_000),
    })
    .map(({ respell, ...variation }) => ({ ...variation, changed: respell(variation.plain) }));

/** Whether the server closes the connection after the response. What follows such a request is an error. */
function closesConnection({ version, headers }: HttpRequest): boolean {
  const values = headers.filter(([name]) => /^connection$/i.test(name)).join();
  return values.includes('close') || (version === '1.0' && !values.includes('keep-alive'));
}

/**
 * Two services with equal records, ids and clock. One is the service. In the other every request goes to Express,
 * and every MCP message to an SDK.
 */
class ServicePair {
  readonly #apps: readonly [TestApp, TestApp];
  readonly #deadlineMs: number;
  readonly close: () => Promise<void>;

  private constructor(apps: readonly [TestApp, TestApp], deadlineMs: number, close: () => Promise<void>) {
    this.#apps = apps;
    this.#deadlineMs = deadlineMs;
    this.close = close;
  }

  static async open(deadlineMs: number): Promise<ServicePair> {
    const cleanup = createCleanup();
    const map = await setUp(cleanup, CONTEXT_OPTIONS, APP_OPTIONS);
    const slowOptions = { ...APP_OPTIONS, createMcp: createSdkOracle };
    const express = await setUp(cleanup, CONTEXT_OPTIONS, slowOptions, createExpressOnly);
    return new ServicePair([map, express], deadlineMs, cleanup.run);
  }

  /**
   * Sends both a plain request, then its variation twice, and once more with the entity tag.
   * @returns the status
   */
  async compareAll({ plain, changed, condition, waitMs }: Variation): Promise<string> {
    await this.#compare(plain, 'plain');
    for (const { clock } of this.#apps) clock.advance(waitMs);
    const first = await this.#compare(changed, 'first');
    await this.#compare(changed, 'second');
    const [, etag] = /^etag: (.+)\r$/im.exec(first) ?? [];
    if (etag !== undefined) {
      const headers = [...changed.headers, ['If-None-Match', condition(etag)] as const];
      await this.#compare({ ...changed, headers }, 'conditional');
    }
    return /^HTTP\/1\.1 (?!100)(\d+)/m.exec(first)?.[1] ?? '';
  }

  /** @returns every byte of the response apart from the Date header */
  async #compare(request: HttpRequest, label: string): Promise<string> {
    const bytes = closesConnection(request)
      ? toBytes(request)
      : Buffer.concat([toBytes(request), LAST_REQUEST]);
    const [map = '', express = ''] = await Promise.all(
      this.#apps.map(async ({ url }) => {
        const response = await sendBytes(url, bytes, { deadlineMs: this.#deadlineMs });
        return response.toString('latin1').replaceAll(/^Date: .+\r\n/gm, '');
      }),
    );
    assert.notEqual(map, '', `${label}: no response`);
    const [mapLines, expressLines] = [map.split('\n'), express.split('\n')];
    const at = mapLines.findIndex((line, index) => line !== expressLines[index]);
    if (map !== express)
      assert.fail(
        `${label}: the responses differ\nthe map: ${mapLines[at]?.slice(0, 1500)}\nExpress and the SDKs: ${expressLines[at]?.slice(0, 1500)}`,
      );
    return map;
  }
}

/** Checks that each address of the table is answered by the map as by Express. */
export async function fuzzDifferential({
  campaign,
  tally,
  seed,
  requests,
  deadlineMs,
}: FuzzOptions): Promise<void> {
  const tools = await loadTools();
  const paths = (await readRoutes()).filter(({ method }) => method === 'GET').map(({ path }) => path);
  const inputs = fc.oneof(
    { weight: 20, arbitrary: restRequests(tools, paths) },
    { weight: 1, arbitrary: formRequests },
    { weight: 15, arbitrary: mcpRequests(tools, { streams: false }) },
  );
  for (let round = 0; round * REQUESTS_PER_ROUND < requests; round++) {
    let pair = await ServicePair.open(deadlineMs);
    await campaign.check(
      {
        part: 'differential',
        seed: seed + round,
        runs: Math.min(REQUESTS_PER_ROUND, requests - round * REQUESTS_PER_ROUND),
      },
      variations(inputs),
      async (variation) => {
        try {
          tally.add(`${variation.changed.method} (differential)`, await pair.compareAll(variation));
        } catch (error) {
          // The stores of the two services may differ now.
          await pair.close();
          pair = await ServicePair.open(deadlineMs);
          throw error;
        }
      },
      ({ plain, changed }) => `${formatRequest(plain)}\n  and then ${formatRequest(changed)}`,
    );
    await pair.close();
  }
}

/** @returns the addresses of the table */
async function readRoutes(): Promise<readonly Route[]> {
  const cleanup = createCleanup();
  let routes: readonly Route[] = [];
  await setUp(cleanup, {}, {}, (options) => {
    const door = createRequestHandler(options);
    ({ routes } = door);
    return door.listener;
  });
  await cleanup.run();
  return routes;
}
