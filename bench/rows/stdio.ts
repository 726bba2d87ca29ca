import assert from 'node:assert/strict';
import { toolCall, INITIALIZED, firstMessage, type Revision } from '../mcp-messages.ts';
import { peerProgram, porchlightProgram, type BenchContext, type Program } from '../bench-context.ts';
import { memoryServer } from '../memory-server.ts';
import { buildPackage } from '../build-package.ts';
import { medians, median } from '../rounds.ts';
import { formatCount, formatRatio, type Bench, type Row } from '../row.ts';
import type { LineClient } from '../line-client.ts';

/** Many short repetitions, after warm-up calls that compile the code. */
const CALLS_PER_REPETITION = 100;
const REPETITIONS = 10;
const WARM_UP_CALLS = 1000;

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
    const [fewer, folder] = [context.copyStore(1000), context.copyStore(large)];
    const [small, big, big2026] = [
      await connect(context, porchlightProgram('stdio', fewer, launcher)),
      await connect(context, porchlightProgram('stdio', folder, launcher)),
      await connect(context, porchlightProgram('stdio', folder, launcher), '2026'),
    ];
    const read = (revision: Revision) => (id: number) => toolCall(revision, 'read_feed', {}, id);
    const response = (await big.request(`${read('2025')(1)}\n`)).toString().trimEnd();
    const { result } = JSON.parse(response) as { result: { structuredContent: { messages: unknown[] } } };
    assert.equal(result.structuredContent.messages.length, 50);
    const lines = context.startLineServer(peerProgram('lines', context.writeJson({ line: response })));
    const sdk = await connect(context, peerProgram('sdk-stdio', context.writeJson({ result })));
    const graph = (id: number): string => toolCall('2025', 'read_graph', {}, id);
    const memory = await memoryServerOfSize(context, graph(1), response.length);
    const found = await medians(rounds * REPETITIONS, {
      lines: await createMeasurement(lines, read('2025')),
      sdk: await createMeasurement(sdk, read('2025')),
      memory: await createMeasurement(memory, graph),
      small: await createMeasurement(small, read('2025')),
      big: await createMeasurement(big, read('2025')),
      big2026: await createMeasurement(big2026, read('2026')),
    });
    const measured = (ms: number): string => `${formatRatio(found.lines, ms)} (${(ms * 1000).toFixed(0)} us)`;
    const row = (path: string, ms: number): Row => ({
      path,
      goal: '>= 0.35 of raw lines',
      met: ms * 0.35 <= found.lines,
      measured: measured(ms),
    });
    return [
      {
        path: `raw lines over stdio, ${response.length >> 10} KB, one in flight, the client parses each`,
        goal: '',
        measured: measured(found.lines),
      },
      { path: 'SDK v1 as documented, the same result', goal: '', measured: measured(found.sdk) },
      { path: 'server-memory, read_graph of as many bytes', goal: '', measured: measured(found.memory) },
      row('tools/call read_feed over stdio, 1,000 stored', found.small),
      row(`the same, ${formatCount(large)} stored`, found.big),
      row(`the same, ${formatCount(large)} stored, 2026`, found.big2026),
      {
        path: 'tools/call read_feed over stdio',
        goal: '>= 2 x server-memory',
        met: found.big * 2 <= found.memory,
        measured: formatRatio(found.memory, found.big),
      },
    ];
  },
};

/** Connects to server-memory with a graph whose response has this number of bytes. */
async function memoryServerOfSize(context: BenchContext, graph: string, bytes: number): Promise<LineClient> {
  const some = 50;
  const long = (await (await connect(context, memoryServer(context, some))).request(`${graph}\n`)).length;
  return connect(context, memoryServer(context, Math.round((some * bytes) / long)));
}
