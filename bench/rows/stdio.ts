import assert from 'node:assert/strict';
import { toolCall, INITIALIZED, firstMessage, type Revision } from '../mcp-messages.ts';
import { peerProgram, porchlightProgram, type BenchContext, type Program } from '../bench-context.ts';
import { buildPackage } from '../build-package.ts';
import { medians, median } from '../rounds.ts';
import { formatCount, formatRatio, type Bench, type Row } from '../row.ts';
import type { LineClient } from '../line-client.ts';

/** Many short repetitions, after warm-up calls that compile the code. */
const CALLS_PER_REPETITION = 100;
const REPETITIONS = 10;
const WARM_UP_CALLS = 1000;
const MIN_RATIO = 0.8;

async function connect(
  context: BenchContext,
  program: Program,
  revision: Revision = '2025',
): Promise<LineClient> {
  const client = context.startLineServer(program);
  await client.request(`${firstMessage(revision)}\n`);
  if (revision === '2025') client.notify(`${INITIALIZED}\n`);
  return client;
}

/** Creates a function that measures the median milliseconds of sequential calls. */
async function createMeasurement(
  client: LineClient,
  line: (id: number) => string,
): Promise<() => Promise<number>> {
  const bytes = (await client.request(`${line(1)}\n`)).length;
  let id = 1;
  const measureCalls = async (calls: number): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < calls; n++) {
      const request = `${line(++id)}\n`;
      const start = performance.now();
      const response = await client.request(request);
      // Every real client parses the response.
      JSON.parse(response.toString());
      times.push(performance.now() - start);
      // Later ids have more digits.
      assert.ok(
        Math.abs(response.length - bytes) < 10,
        `a response of ${response.length} bytes, not ${bytes}`,
      );
    }
    return times;
  };
  await measureCalls(WARM_UP_CALLS);
  return async () => median(await measureCalls(CALLS_PER_REPETITION));
}

/** Tool calls over stdio, one in flight. */
export const stdio: Bench = {
  name: 'stdio',
  run: async (context, { rounds, large }) => {
    const launcher = buildPackage(context);
    const folder = context.copyStore(large);
    const ours = await connect(context, porchlightProgram('stdio', folder, launcher));
    const ours2026 = await connect(context, porchlightProgram('stdio', folder, launcher), '2026');
    const read = (revision: Revision) => (id: number) => toolCall(revision, 'read_feed', {}, id);
    const response = (await ours.request(`${read('2025')(1)}\n`)).toString().trimEnd();
    const { result } = JSON.parse(response) as { result: { structuredContent: { messages: unknown[] } } };
    assert.equal(result.structuredContent.messages.length, 50);
    const lines = context.startLineServer(peerProgram('lines', context.writeJson({ line: response })));
    const found = await medians(rounds * REPETITIONS, {
      lines: await createMeasurement(lines, read('2025')),
      ours: await createMeasurement(ours, read('2025')),
      ours2026: await createMeasurement(ours2026, read('2026')),
    });
    const measured = (ms: number): string => `${formatRatio(found.lines, ms)} (${(ms * 1000).toFixed(0)} us)`;
    const row = (revision: Revision, ms: number): Row => ({
      path: `tools/call read_feed over stdio, ${formatCount(large)} stored, ${revision}`,
      goal: `>= ${MIN_RATIO} of raw lines`,
      met: ms * MIN_RATIO <= found.lines,
      measured: measured(ms),
    });
    return [
      {
        path: `raw lines over stdio, ${response.length >> 10} KB, one in flight, the client parses each`,
        goal: '',
        measured: measured(found.lines),
      },
      row('2025', found.ours),
      row('2026', found.ours2026),
    ];
  },
};
