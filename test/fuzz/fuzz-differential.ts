import assert from 'node:assert/strict';
import { loadTools } from '../../tools/load.ts';
import { createExpressOnly } from '../support/http/app.ts';
import { NO_LIMITS, BEHIND_PROXY, setUp, type TestApp } from '../support/http/test-app.ts';
import type { FuzzOptions } from './campaign.ts';
import { Connection, type RawResponse } from './connection.ts';
import { variations, type Variation } from './differential-requests.ts';
import type { Header } from './headers.ts';
import { toBytes, type RawRequest } from './raw-request.ts';
import { formatBytes } from './format-request.ts';
import { createCleanup, type Cleanup } from './with-service.ts';
import { PAGE_TEMPLATES } from './page-templates.ts';

/** Requests to one pair of services, so that their lists stay short. */
const REQUESTS_PER_ROUND = 1000;

/** A service, and the connection to it. */
interface Side {
  readonly app: TestApp;
  readonly connection: Connection;
}

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
    guardsEveryPath: true,
  },
};

/** @returns every byte except the Date header */
function comparable({ statusLine, headers, body }: RawResponse): Record<string, string> {
  const lines = headers.filter(([name]) => name !== 'Date');
  return {
    status: statusLine,
    headers: lines.map((line) => line.join(': ')).join('\n'),
    body: body.toString('latin1'),
  };
}

function assertSame(fast: RawResponse, express: RawResponse, label: string): void {
  const [fastParts, expressParts] = [comparable(fast), comparable(express)];
  for (const [part, text] of Object.entries(fastParts)) {
    if (text === expressParts[part]) continue;
    assert.fail(
      `${label}: ${part} differ\nfast path:\n${text.slice(0, 1500)}\nExpress:\n${expressParts[part]!.slice(0, 1500)}`,
    );
  }
}

/** Two services with equal records, ids and clock, one of them without the fast path. */
export class ServicePair {
  readonly #sides: readonly [Side, Side];
  readonly #cleanup: Cleanup;

  private constructor(sides: readonly [Side, Side], cleanup: Cleanup) {
    this.#sides = sides;
    this.#cleanup = cleanup;
  }

  static async open(deadlineMs: number): Promise<ServicePair> {
    const cleanup = createCleanup();
    const openSide = async (create?: typeof createExpressOnly): Promise<Side> => {
      const app = await setUp(cleanup, CONTEXT_OPTIONS, APP_OPTIONS, create);
      return { app, connection: new Connection(app.url, deadlineMs) };
    };
    return new ServicePair([await openSide(), await openSide(createExpressOnly)], cleanup);
  }

  /**
   * Sends both a plain request, then its variation twice, and once more with the entity tag.
   * @returns the status
   */
  async compareAll({ plain, changed: request }: Variation): Promise<string> {
    await this.#compare(plain, 'plain');
    for (const { app } of this.#sides) app.clock.advance(request.waitMs);
    const first = await this.#compare(request, 'first');
    await this.#compare(request, 'second');
    const etag = first.headers.find(([name]) => name.toLowerCase() === 'etag')?.[1];
    if (request.condition !== undefined && etag !== undefined) {
      const tags = request.condition(etag).map((tag): Header => ['If-None-Match', tag]);
      await this.#compare({ ...request, headers: [...request.headers, ...tags] }, 'conditional');
    }
    return first.statusLine.split(' ')[1] ?? '';
  }

  async #compare(request: RawRequest, label: string): Promise<RawResponse> {
    const [fast, express] = await Promise.all(
      this.#sides.map(({ connection }) => connection.send(toBytes(request, []), request.method === 'HEAD')),
    );
    assertSame(fast!, express!, label);
    return fast!;
  }

  async close(): Promise<void> {
    for (const { connection } of this.#sides) connection.close();
    await this.#cleanup.run();
  }
}

/** Checks that the fast path sends the same bytes as Express. */
export async function fuzzDifferential({
  campaign,
  tally,
  seed,
  requests,
  deadlineMs,
}: FuzzOptions): Promise<void> {
  const tools = await loadTools();
  const documents = await documentsOf();
  for (let round = 0; round * REQUESTS_PER_ROUND < requests; round++) {
    let pair = await ServicePair.open(deadlineMs);
    await campaign.check(
      {
        part: 'differential',
        seed: seed + round,
        runs: Math.min(REQUESTS_PER_ROUND, requests - round * REQUESTS_PER_ROUND),
      },
      variations(tools, documents),
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
      ({ plain, changed }) =>
        `${formatBytes(toBytes(plain, []))}\n  and then ${formatBytes(toBytes(changed, []))}`,
    );
    await pair.close();
  }
}

/** @returns the path templates that belong to no tool */
async function documentsOf(): Promise<string[]> {
  const cleanup = createCleanup();
  try {
    const { json } = await (await setUp(cleanup)).request('GET /openapi.json');
    const paths = Object.keys((json as { paths: object }).paths);
    return [
      ...paths.filter((path) => !path.startsWith('/api/') && path !== '/mcp'),
      ...PAGE_TEMPLATES,
      '/api/moderation',
      '/healthz',
    ];
  } finally {
    await cleanup.run();
  }
}
