import assert from 'node:assert/strict';
import { ACCEPT, call, headersOf, message, sdkCall } from '../mcp-messages.ts';
import { interleave, load } from '../load.ts';
import { perSecond, ratio, type Bench } from '../row.ts';

/** Tool calls over streamable HTTP, beside prebuilt bytes and beside the SDK as it is documented. */
export const mcp: Bench = {
  name: 'mcp',
  run: async (lab, { rounds, seconds, large }) => {
    const ours = await lab.porchlight(lab.store(large));
    const hot = call('2025', 'read_feed');
    const hot2026 = call('2026', 'read_feed');
    const answer = await fetch(`${ours.url}/mcp`, { method: 'POST', headers: ACCEPT, body: hot });
    const body = await answer.text();
    const { result } = JSON.parse(body) as { result: { structuredContent: { messages: unknown[] } } };
    assert.equal(result.structuredContent.messages.length, 50);
    const file = lab.file({ headers: { 'Content-Type': 'application/json' }, body, result });
    const [raw, sdk, sdk2] = [
      await lab.peer('raw', file),
      await lab.peer('sdk', file),
      await lab.peer('sdk2', file),
    ];
    const newer = headersOf('2026', 'read_feed');
    const post =
      (served: typeof ours, text: string, headers: Record<string, string> = ACCEPT) =>
      () =>
        load(served, { path: '/mcp', method: 'POST', headers, body: text }, seconds);
    const samples = await interleave(rounds, {
      raw: post(raw, hot),
      sdk: post(sdk, hot),
      'sdk 2026': post(sdk2, hot2026, newer),
      hot: post(ours, hot),
      'hot 2026': post(ours, hot2026, newer),
      other: post(ours, sdkCall('2025', 'read_feed')),
      'other 2026': post(ours, sdkCall('2026', 'read_feed'), newer),
      list: post(ours, message('2025', 'tools/list')),
    });
    const rate = (name: string): number => samples[name]!.perSecond;
    const row = (path: string, name: string, peer: string, least: number) => ({
      path,
      goal: `>= ${least} of ${peer === 'raw' ? 'raw' : 'the SDK as documented'}`,
      met: rate(name) >= least * rate(peer),
      measured: `${ratio(rate(name), rate(peer))} (${perSecond(rate(name))})`,
    });
    return [
      {
        path: `raw node:http, ${body.length >> 10} KB for a POST`,
        goal: '',
        measured: `1.00 (${perSecond(rate('raw'))})`,
      },
      {
        path: 'SDK v1 as documented, the same result',
        goal: '',
        measured: `${ratio(rate('sdk'), rate('raw'))} (${perSecond(rate('sdk'))})`,
      },
      {
        path: 'SDK v2 as documented, the same result',
        goal: '',
        measured: `${ratio(rate('sdk 2026'), rate('raw'))} (${perSecond(rate('sdk 2026'))})`,
      },
      row('tools/call read_feed, 2025', 'hot', 'raw', 0.5),
      row('tools/call read_feed, 2026', 'hot 2026', 'raw', 0.5),
      row('every other call, 2025', 'other', 'sdk', 2),
      row('every other call, 2026', 'other 2026', 'sdk 2026', 2),
      {
        path: 'tools/list, 2025',
        goal: '',
        measured: `${ratio(rate('list'), rate('sdk'))} of the SDK as documented`,
      },
    ];
  },
};
