import assert from 'node:assert/strict';
import { call, INITIALIZED, opening, type Era } from '../mcp-messages.ts';
import { peer, porchlight, type Lab, type Program } from '../bench-context.ts';
import { memoryServer } from '../memory-server.ts';
import { packagedIn } from '../build-package.ts';
import { medians, median } from '../rounds.ts';
import { count, ratio, type Bench, type Row } from '../row.ts';
import type { Speaker } from '../line-client.ts';

/** Short turns, many of them, behind calls after which everything is compiled. */
const CALLS = 100;
const TURNS = 10;
const WARM_UP = 1000;

async function spoken(lab: Lab, program: Program, era: Era = '2025'): Promise<Speaker> {
  const speaker = lab.speak(program);
  await speaker.ask(`${opening(era)}\n`);
  if (era === '2025') speaker.tell(`${INITIALIZED}\n`);
  return speaker;
}

/** @returns how to find the median milliseconds of a call, one at a time */
async function warmed(speaker: Speaker, line: (id: number) => string): Promise<() => Promise<number>> {
  const bytes = (await speaker.ask(`${line(1)}\n`)).length;
  let id = 1;
  const times = async (calls: number): Promise<number[]> => {
    const all: number[] = [];
    for (let n = 0; n < calls; n++) {
      const asked = `${line(++id)}\n`;
      const begun = performance.now();
      const answer = await speaker.ask(asked);
      // As every client does; whoever only counted bytes would find the limit higher than any client can.
      JSON.parse(answer.toString());
      all.push(performance.now() - begun);
      // Ids have more digits by and by.
      assert.ok(Math.abs(answer.length - bytes) < 10, `an answer of ${answer.length} bytes, not ${bytes}`);
    }
    return all;
  };
  await times(WARM_UP);
  return async () => median(await times(CALLS));
}

/** Tool calls over standard input and output, one in flight. */
export const stdio: Bench = {
  name: 'stdio',
  run: async (lab, { rounds, large }) => {
    const launcher = packagedIn(lab);
    const [fewer, folder] = [lab.store(1000), lab.store(large)];
    const [small, big, big2026] = [
      await spoken(lab, porchlight('stdio', fewer, launcher)),
      await spoken(lab, porchlight('stdio', folder, launcher)),
      await spoken(lab, porchlight('stdio', folder, launcher), '2026'),
    ];
    const read = (era: Era) => (id: number) => call(era, 'read_feed', {}, id);
    const answer = (await big.ask(`${read('2025')(1)}\n`)).toString().trimEnd();
    const { result } = JSON.parse(answer) as { result: { structuredContent: { messages: unknown[] } } };
    assert.equal(result.structuredContent.messages.length, 50);
    const lines = lab.speak(peer('lines', lab.file({ line: answer })));
    const sdk = await spoken(lab, peer('sdk-stdio', lab.file({ result })));
    const graph = (id: number): string => call('2025', 'read_graph', {}, id);
    const memory = await asLongAs(lab, graph(1), answer.length);
    const found = await medians(rounds * TURNS, {
      lines: await warmed(lines, read('2025')),
      sdk: await warmed(sdk, read('2025')),
      memory: await warmed(memory, graph),
      small: await warmed(small, read('2025')),
      big: await warmed(big, read('2025')),
      big2026: await warmed(big2026, read('2026')),
    });
    const told = (ms: number): string => `${ratio(found.lines, ms)} (${(ms * 1000).toFixed(0)} us)`;
    const row = (path: string, ms: number): Row => ({
      path,
      goal: '>= 0.35 of raw lines',
      met: ms * 0.35 <= found.lines,
      measured: told(ms),
    });
    return [
      {
        path: `raw lines over stdio, ${answer.length >> 10} KB, one in flight, the client parses each`,
        goal: '',
        measured: told(found.lines),
      },
      { path: 'SDK v1 as documented, the same result', goal: '', measured: told(found.sdk) },
      { path: 'server-memory, read_graph of as many bytes', goal: '', measured: told(found.memory) },
      row('tools/call read_feed over stdio, 1,000 stored', found.small),
      row(`the same, ${count(large)} stored`, found.big),
      row(`the same, ${count(large)} stored, 2026`, found.big2026),
      {
        path: 'tools/call read_feed over stdio',
        goal: '>= 2 x server-memory',
        met: found.big * 2 <= found.memory,
        measured: ratio(found.memory, found.big),
      },
    ];
  },
};

/** @returns server-memory with a graph of which it answers as many bytes */
async function asLongAs(lab: Lab, graph: string, bytes: number): Promise<Speaker> {
  const some = 50;
  const long = (await (await spoken(lab, memoryServer(lab, some))).ask(`${graph}\n`)).length;
  return spoken(lab, memoryServer(lab, Math.round((some * bytes) / long)));
}
