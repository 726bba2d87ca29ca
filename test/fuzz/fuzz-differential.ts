import assert from 'node:assert/strict';
import { loadTools } from '../../tools/load.ts';
import { createExpressOnly } from '../support/http/app.ts';
import { NO_LIMITS, BEHIND_PROXY, setUp, type TestApp } from '../support/http/test-app.ts';
import type { Plan } from './campaign.ts';
import { Connection, type RawResponse } from './connection.ts';
import { variations, type Variation } from './differential-requests.ts';
import type { Header } from './headers.ts';
import { toBytes, type RawRequest } from './raw-request.ts';
import { showBytes } from './format-request.ts';
import { after, type Ends } from './with-service.ts';

/** So many requests go to one pair of services, that their lists stay short. */
const ROUND = 1000;

/** One service under test, and the connection that its requests go over. */
interface Side {
  readonly setting: TestApp;
  readonly connection: Connection;
}

/** Limits of writes hold, so that refusals and their headers are compared too; that of requests runs on real time. */
const WORLD = {
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
  door: {
    allowedHosts: ['127.0.0.1', 'localhost'],
    allowedOrigins: ['http://localhost'],
    guardsEveryPath: true,
  },
};

/** Every byte but the Date. */
function comparable({ statusLine, headers, body }: RawResponse): Record<string, string> {
  const lines = headers.filter(([name]) => name !== 'Date');
  return {
    status: statusLine,
    headers: lines.map((line) => line.join(': ')).join('\n'),
    body: body.toString('latin1'),
  };
}

function assertSame(front: RawResponse, behind: RawResponse, which: string): void {
  const [fast, express] = [comparable(front), comparable(behind)];
  for (const [part, text] of Object.entries(fast)) {
    if (text === express[part]) continue;
    assert.fail(
      `${which}: ${part} differ\nfast path:\n${text.slice(0, 1500)}\nExpress:\n${express[part]!.slice(0, 1500)}`,
    );
  }
}

/** Two services with the same history, ids and clock, one of them without the fast path. */
export class Pair {
  readonly #sides: readonly [Side, Side];
  readonly #ends: Ends;

  private constructor(sides: readonly [Side, Side], ends: Ends) {
    this.#sides = sides;
    this.#ends = ends;
  }

  static async open(deadlineMs: number): Promise<Pair> {
    const ends = after();
    const side = async (create?: typeof createExpressOnly): Promise<Side> => {
      const setting = await setUp(ends, WORLD, APP_OPTIONS, create);
      return { setting, connection: new Connection(setting.url, deadlineMs) };
    };
    return new Pair([await side(), await side(createExpressOnly)], ends);
  }

  /** Sends a plain request to both, then its variation twice, and once more with the entity tag of the response. */
  async examine({ plain, changed: request }: Variation): Promise<string> {
    await this.#compare(plain, 'plain');
    for (const { setting } of this.#sides) setting.clock.advance(request.waitMs);
    const first = await this.#compare(request, 'first');
    await this.#compare(request, 'second');
    const etag = first.headers.find(([name]) => name.toLowerCase() === 'etag')?.[1];
    if (request.condition !== undefined && etag !== undefined) {
      const tags = request.condition(etag).map((tag): Header => ['If-None-Match', tag]);
      await this.#compare({ ...request, headers: [...request.headers, ...tags] }, 'conditional');
    }
    return first.statusLine.split(' ')[1] ?? '';
  }

  async #compare(request: RawRequest, which: string): Promise<RawResponse> {
    const [front, behind] = await Promise.all(
      this.#sides.map(({ connection }) => connection.send(toBytes(request, []), request.method === 'HEAD')),
    );
    assertSame(front!, behind!, which);
    return front!;
  }

  async close(): Promise<void> {
    for (const { connection } of this.#sides) connection.close();
    await this.#ends.run();
  }
}

/** Every answer of a fast path is, byte for byte, the one that Express gives. */
export async function fuzzDifferential({ campaign, tally, seed, requests, deadlineMs }: Plan): Promise<void> {
  const tools = await loadTools();
  const documents = await documentsOf();
  for (let round = 0; round * ROUND < requests; round++) {
    let pair = await Pair.open(deadlineMs);
    await campaign.check(
      { part: 'differential', seed: seed + round, runs: Math.min(ROUND, requests - round * ROUND) },
      variations(tools, documents),
      async (variation) => {
        try {
          tally.add(`${variation.changed.method} (differential)`, await pair.examine(variation));
        } catch (error) {
          // The two may differ in what they hold from now on.
          await pair.close();
          pair = await Pair.open(deadlineMs);
          throw error;
        }
      },
      ({ plain, changed }) =>
        `${showBytes(toBytes(plain, []))}\n  and then ${showBytes(toBytes(changed, []))}`,
    );
    await pair.close();
  }
}

/** @returns the templates of what is read without a tool */
async function documentsOf(): Promise<string[]> {
  const ends = after();
  try {
    const { json } = await (await setUp(ends)).request('GET /openapi.json');
    const paths = Object.keys((json as { paths: object }).paths);
    return [
      ...paths.filter((path) => !path.startsWith('/api/') && path !== '/mcp'),
      '/api/moderation',
      '/healthz',
    ];
  } finally {
    await ends.run();
  }
}
