import assert from 'node:assert/strict';
import { ACCEPT, toolCall, callHeaders, sdkCall } from '../mcp-messages.ts';
import { interleave, load } from '../load.ts';
import { formatRate, formatRatio, type Bench } from '../row.ts';

/** Tool calls over streamable HTTP, compared with prebuilt bytes and with the SDKs as documented. */
export const mcp: Bench = {
  name: 'mcp',
  run: async (context, { rounds, seconds, large }) => {
    const ours = await context.servePorchlight(context.copyStore(large));
    const hot = toolCall('2025', 'read_feed');
    const hot2026 = toolCall('2026', 'read_feed');
    const response = await fetch(`${ours.url}/mcp`, { method: 'POST', headers: ACCEPT, body: hot });
    const body = await response.text();
    const { result } = JSON.parse(body) as { result: { structuredContent: { messages: unknown[] } } };
    assert.equal(result.structuredContent.messages.length, 50);
    const file = context.writeJson({ headers: { 'Content-Type': 'application/json' }, body, result });
    const [raw, sdk, sdk2] = [
      await context.servePeer('raw', file),
      await context.servePeer('sdk', file),
      await context.servePeer('sdk2', file),
    ];
    const headers2026 = callHeaders('2026', 'read_feed');
    const post =
      (server: typeof ours, text: string, headers: Record<string, string> = ACCEPT) =>
      () =>
        load(server, { path: '/mcp', method: 'POST', headers, body: text }, seconds);
    const samples = await interleave(rounds, {
      raw: post(raw, hot),
      sdk: post(sdk, hot),
      'sdk 2026': post(sdk2, hot2026, headers2026),
      hot: post(ours, hot),
      'hot 2026': post(ours, hot2026, headers2026),
      other: post(ours, sdkCall('2025', 'read_feed')),
      'other 2026': post(ours, sdkCall('2026', 'read_feed'), headers2026),
    });
    const rate = (name: string): number => samples[name]!.perSecond;
    const row = (path: string, name: string, peer: string, least: number) => ({
      path,
      goal: `>= ${least} of ${peer === 'raw' ? 'raw' : 'the SDK as documented'}`,
      met: rate(name) >= least * rate(peer),
      measured: `${formatRatio(rate(name), rate(peer))} (${formatRate(rate(name))})`,
    });
    return [
      {
        path: `raw node:http, ${body.length >> 10} KB for a POST`,
        goal: '',
        measured: `1.00 (${formatRate(rate('raw'))})`,
      },
      {
        path: 'SDK v1 as documented, the same result',
        goal: '',
        measured: `${formatRatio(rate('sdk'), rate('raw'))} (${formatRate(rate('sdk'))})`,
      },
      {
        path: 'SDK v2 as documented, the same result',
        goal: '',
        measured: `${formatRatio(rate('sdk 2026'), rate('raw'))} (${formatRate(rate('sdk 2026'))})`,
      },
      row('tools/call read_feed, 2025', 'hot', 'raw', 0.6),
      row('tools/call read_feed, 2026', 'hot 2026', 'raw', 0.6),
      row('every other call, 2025', 'other', 'sdk', 3),
      row('every other call, 2026', 'other 2026', 'sdk 2026', 3),
    ];
  },
};
