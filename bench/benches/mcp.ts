import { setTimeout as sleep } from 'node:timers/promises';
import assert from 'node:assert/strict';
import { LARGE, SETTLE_MS } from '../data.ts';
import { load, loadInTurn, type Request } from '../load.ts';
import { firstRequest, readFeedRequest } from '../mcp-messages.ts';
import { headersOf, type RunningServer } from '../programs.ts';
import { formatRate, type Bench } from '../rows.ts';

/** Tool calls over streamable HTTP, beside prebuilt bytes and the SDKs as documented. */
export const mcp: Bench = async ({ data, programs, rounds, seconds, row }) => {
  const ours = await programs.serveFolder(await data.copyFolder(LARGE));
  await sleep(SETTLE_MS);
  const hot = readFeedRequest('2025', 'hot');
  const response = await fetch(`${ours.url}/mcp`, { method: 'POST', headers: hot.headers!, body: hot.body! });
  const body = await response.text();
  const { result } = JSON.parse(body) as { result: { structuredContent: { messages: unknown[] } } };
  assert.equal(result.structuredContent.messages.length, 50);
  const serve = (mode: string): Promise<RunningServer> =>
    programs.serve(programs.peer(mode, { headers: headersOf(response), body, result }));
  const [raw, sdk2025, sdk2026] = [await serve('raw'), await serve('sdk2025'), await serve('sdk2026')];
  const post = (server: RunningServer, request: Request) => () => load(server, request, seconds);
  const samples = await loadInTurn(rounds, {
    raw: post(raw, hot),
    sdk2025: post(sdk2025, hot),
    sdk2026: post(sdk2026, readFeedRequest('2026', 'hot')),
    hot2025: post(ours, hot),
    hot2026: post(ours, readFeedRequest('2026', 'hot')),
    other2025: post(ours, readFeedRequest('2025', 'other')),
    other2026: post(ours, readFeedRequest('2026', 'other')),
    sdkInitialize: post(sdk2025, firstRequest('2025')),
    sdkDiscover: post(sdk2026, firstRequest('2026')),
    initialize: post(ours, firstRequest('2025')),
    discover: post(ours, firstRequest('2026')),
  });
  const peers = {
    hot2025: 'raw',
    hot2026: 'raw',
    other2025: 'sdk2025',
    other2026: 'sdk2026',
    initialize: 'sdkInitialize',
    discover: 'sdkDiscover',
  } as const;
  for (const name of Object.keys(peers) as (keyof typeof peers)[]) {
    const [rate, peer] = [samples[name].perSecond, samples[peers[name]].perSecond];
    row(name, rate / peer, `${formatRate(rate)}, ${formatRate(peer)}`);
  }
};
