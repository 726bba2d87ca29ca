import assert from 'node:assert/strict';
import test from 'node:test';
import { NO_LIMITS, setUp } from '../support/http/test-app.ts';
import {
  createSurfaces,
  hostileText,
  leastProcessorTime,
  LEADS,
  placesOf,
  UNITS,
} from '../support/entrance-time.ts';
import { slowness } from '../support/text-time.ts';

/** Milliseconds of the processor, of server and client, on a machine like that of `slowness`. */
const MAX_MS = 10;
/** For thousands of names or elements, most of which is the time to parse them. */
const MAX_MANY_MS = 50;
const TRIES = 9;

interface Call {
  readonly what: string;
  readonly send: () => Promise<unknown>;
  readonly max: number;
}

/** @returns the calls that take too long, also at the end, since a machine may be slow for a moment */
async function findSlow(calls: Iterable<Call>): Promise<string[]> {
  const factor = slowness();
  const suspects: Call[] = [];
  for (const call of calls)
    if ((await leastProcessorTime(call.send, call.max * factor, TRIES)) > call.max * factor)
      suspects.push(call);
  const slow: string[] = [];
  for (const { what, send, max } of suspects) {
    const time = await leastProcessorTime(send, max, TRIES);
    if (time > max * slowness()) slow.push(`${what}: ${time} ms`);
  }
  return slow;
}

/** The last size fills a body. */
for (const bytes of [1_000, 8_000, 250_000])
  test(`a hostile text of ${bytes} bytes in any argument, on any surface, takes little of the processor`, async (t) => {
    const app = await setUp(t, { limits: NO_LIMITS, frozen: bytes > 8_000 });
    const surfaces = Object.entries(createSurfaces(app));
    let turn = 0;
    const calls = function* (): Generator<Call> {
      for (const tool of app.tools)
        for (const place of Object.keys(placesOf(tool, 'x')))
          for (const [surface, call] of surfaces) {
            const lead = LEADS[turn % LEADS.length]!;
            const unit = UNITS[turn++ % UNITS.length]!;
            const args = placesOf(tool, hostileText(lead, unit, bytes))[place]!;
            yield {
              what: `${tool.name}, ${place}, ${surface}, ${JSON.stringify([lead, unit])}`,
              send: call(tool, args),
              max: / of /.test(place) && bytes > 8_000 ? MAX_MANY_MS : MAX_MS,
            };
          }
    };
    assert.deepEqual(await findSlow(calls()), []);
  });

test('a hostile text in the query or in a header takes little of the processor', async (t) => {
  const { request } = await setUp(t, { limits: NO_LIMITS });
  const headers = ['Idempotency-Key', 'Accept', 'Accept-Encoding', 'Content-Type', 'If-None-Match', 'Origin'];
  const others = ['If-Modified-Since', 'X-Forwarded-For', 'Mcp-Protocol-Version', 'Sec-Fetch-Site', 'Host'];
  const calls: Call[] = [];
  for (const unit of UNITS)
    for (const lead of ['plk a', '"']) {
      const query = encodeURIComponent(hostileText(lead, unit, 2_000)).slice(0, 7_900);
      const header = hostileText(lead, unit, 12_000).replaceAll(/[^\x20-\x7e]/g, 'a');
      const sends: [string, () => Promise<unknown>][] = [
        ['a query', () => request(`GET /api/feed?q=${query}`)],
        ['a name in a query', () => request(`GET /feed?${query}=x`)],
        ['names in a query', () => request(`POST /api/feed?${query.replaceAll('%', '&%')}`, { body: {} })],
        ...[...headers, ...others].map((name): [string, () => Promise<unknown>] => [
          name,
          () => request('POST /api/feed', { body: {}, headers: { [name]: header } }),
        ]),
      ];
      for (const [what, send] of sends)
        calls.push({ what: `${what}, ${JSON.stringify([lead, unit])}`, send, max: MAX_MS });
    }
  assert.deepEqual(await findSlow(calls), []);
});
