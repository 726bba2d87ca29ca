import assert from 'node:assert/strict';
import { firstMessage, type Revision } from '../mcp-messages.ts';
import { peerProgram, porchlightProgram, type BenchContext, type Program } from '../bench-context.ts';
import { buildPackage } from '../build-package.ts';
import { medians } from '../rounds.ts';
import { formatRatio, type Bench, type Row } from '../row.ts';

/** A start takes a few tenths of a second, so fewer rounds would be noisy. */
const MIN_ROUNDS = 7;

async function timeToHttpResponse(context: BenchContext, program: Program, path: string): Promise<number> {
  const start = performance.now();
  const { url } = await context.serve(program);
  const response = await fetch(url + path);
  await response.text();
  const elapsed = performance.now() - start;
  assert.equal(response.status, 200);
  await context.stopAll();
  return elapsed;
}

async function timeToFirstLine(context: BenchContext, program: Program, revision: Revision): Promise<number> {
  const start = performance.now();
  const line = await context.startLineServer(program).request(`${firstMessage(revision)}\n`);
  const elapsed = performance.now() - start;
  assert.ok('result' in (JSON.parse(line.toString()) as object));
  await context.stopAll();
  return elapsed;
}

/** The time from the start of the packaged program to its first response. */
export const startUp: Bench = {
  name: 'start-up',
  run: async (context, { rounds }) => {
    const launcher = buildPackage(context);
    const folder = context.copyStore(1000);
    const [body, line] = [
      context.writeJson({ headers: {}, body: '{}' }),
      context.writeJson({ line: '{"jsonrpc":"2.0","id":1,"result":{}}' }),
    ];
    const found = await medians(Math.max(rounds, MIN_ROUNDS), {
      http: () => timeToHttpResponse(context, peerProgram('raw', body), '/'),
      oursHttp: () => timeToHttpResponse(context, porchlightProgram('serve', folder, launcher), '/api/feed'),
      stdio: () => timeToFirstLine(context, peerProgram('lines', line), '2025'),
      ours2025: () => timeToFirstLine(context, porchlightProgram('stdio', folder, launcher), '2025'),
      ours2026: () => timeToFirstLine(context, porchlightProgram('stdio', folder, launcher), '2026'),
    });
    const bare = (path: string, ms: number): Row => ({
      path,
      goal: '',
      measured: `1.00 (${ms.toFixed(0)} ms)`,
    });
    const row = (path: string, ms: number, raw: number, most: number): Row => ({
      path,
      goal: `<= ${most} x bare node`,
      met: ms <= most * raw,
      measured: `${formatRatio(ms, raw)} (${ms.toFixed(0)} ms)`,
    });
    return [
      bare('start of bare node to its first answer over HTTP', found.http),
      row('start of the package to GET /api/feed, 1,000 stored', found.oursHttp, found.http, 4.5),
      bare('start of bare node to its first line', found.stdio),
      row('start of the package to initialize over stdio, 2025', found.ours2025, found.stdio, 5),
      row('start of the package to server/discover over stdio, 2026', found.ours2026, found.stdio, 5),
    ];
  },
};
