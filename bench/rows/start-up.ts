import assert from 'node:assert/strict';
import { opening, type Era } from '../mcp-messages.ts';
import { peer, porchlight, type Lab, type Program } from '../bench-context.ts';
import { packagedIn } from '../build-package.ts';
import { medians } from '../rounds.ts';
import { ratio, type Bench, type Row } from '../row.ts';

/** A start takes a few tenths of a second: fewer would tell little. */
const LEAST_ROUNDS = 7;

async function untilHttp(lab: Lab, program: Program, path: string): Promise<number> {
  const begun = performance.now();
  const { url } = await lab.serve(program);
  const answer = await fetch(url + path);
  await answer.text();
  const took = performance.now() - begun;
  assert.equal(answer.status, 200);
  await lab.quiet();
  return took;
}

async function untilLine(lab: Lab, program: Program, era: Era): Promise<number> {
  const begun = performance.now();
  const line = await lab.speak(program).ask(`${opening(era)}\n`);
  const took = performance.now() - begun;
  assert.ok('result' in (JSON.parse(line.toString()) as object));
  await lab.quiet();
  return took;
}

/** From the start of the packaged program to its first answer. */
export const startUp: Bench = {
  name: 'start-up',
  run: async (lab, { rounds }) => {
    const launcher = packagedIn(lab);
    const folder = lab.store(1000);
    const [body, line] = [
      lab.file({ headers: {}, body: '{}' }),
      lab.file({ line: '{"jsonrpc":"2.0","id":1,"result":{}}' }),
    ];
    const found = await medians(Math.max(rounds, LEAST_ROUNDS), {
      http: () => untilHttp(lab, peer('raw', body), '/'),
      oursHttp: () => untilHttp(lab, porchlight('serve', folder, launcher), '/api/feed'),
      stdio: () => untilLine(lab, peer('lines', line), '2025'),
      ours2025: () => untilLine(lab, porchlight('stdio', folder, launcher), '2025'),
      ours2026: () => untilLine(lab, porchlight('stdio', folder, launcher), '2026'),
    });
    const bare = (path: string, ms: number): Row => ({
      path,
      goal: '',
      measured: `1.00 (${ms.toFixed(0)} ms)`,
    });
    const row = (path: string, ms: number, raw: number, most: number): Row => ({
      path,
      goal: `<= ${most} x`,
      met: ms <= most * raw,
      measured: `${ratio(ms, raw)} (${ms.toFixed(0)} ms)`,
    });
    return [
      bare('start of bare node to its first answer over HTTP', found.http),
      row('start of the package to GET /api/feed, 1,000 stored', found.oursHttp, found.http, 4),
      bare('start of bare node to its first line', found.stdio),
      row('start of the package to initialize over stdio, 2025', found.ours2025, found.stdio, 3),
      row('start of the package to server/discover over stdio, 2026', found.ours2026, found.stdio, 3),
    ];
  },
};
