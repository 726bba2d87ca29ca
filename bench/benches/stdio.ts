import assert from 'node:assert/strict';
import { once } from 'node:events';
import { LARGE, SMALL } from '../data.ts';
import { firstMessage, INITIALIZED, readFeedCall, type Revision } from '../mcp-messages.ts';
import { median, medians, timed } from '../measure.ts';
import type { Program, Programs } from '../programs.ts';
import { formatNumber, type Bench, type BenchContext } from '../rows.ts';

/** Many short turns, after calls that compile the code. */
const TURNS = 10;
const CALLS_PER_TURN = 100;
const WARM_UP_CALLS = 1000;

/** Rounds of starts. A start takes a few tenths of a second, so fewer rounds give noisy figures. */
const MIN_STARTS = 7;

const NEWLINE = 10;

/** The package over stdio, one call in flight, and its start. */
export const stdio: Bench = async (context) => {
  await calls(context);
  await context.programs.stopAll();
  await starts(context);
};

async function calls({ data, programs, rounds, row }: BenchContext): Promise<void> {
  const folder = await data.copyFolder(LARGE);
  const program = programs.porchlight(['stdio'], { DATA_DIR: folder });
  const ours2025 = await connect(programs, program, '2025');
  const ours2026 = await connect(programs, program, '2026');
  const body = (await ours2025(readFeedCall('2025'))).toString();
  const { result } = JSON.parse(body) as { result: { structuredContent: { messages: unknown[] } } };
  assert.equal(result.structuredContent.messages.length, 50);
  const lines = startLineServer(programs, programs.peer('lines', { body }));
  const found = await medians(rounds * TURNS, {
    lines: await callsOf(lines, '2025'),
    stdio2025: await callsOf(ours2025, '2025'),
    stdio2026: await callsOf(ours2026, '2026'),
  });
  for (const name of ['stdio2025', 'stdio2026'] as const)
    row(name, found.lines / found[name], `${formatNumber(found[name])} ms, ${formatNumber(found.lines)} ms`);
}

async function starts({ data, programs, rounds, row }: BenchContext): Promise<void> {
  const folder = await data.copyFolder(SMALL);
  const ours = (command: string): Program => programs.porchlight([command], { DATA_DIR: folder });
  const firstLine = async (program: Program): Promise<void> => {
    const line = await startLineServer(programs, program)(firstMessage('2025'));
    assert.ok('result' in (JSON.parse(line.toString()) as object));
  };
  const firstResponse = async (program: Program, path: string): Promise<void> => {
    const { url } = await programs.serve(program);
    const response = await fetch(url + path);
    await response.text();
    assert.equal(response.status, 200);
  };
  const start = (operation: () => Promise<void>) => async (): Promise<number> => {
    const milliseconds = await timed(operation);
    await programs.stopAll();
    return milliseconds;
  };
  const bareHttp = programs.peer('raw', { body: '{}' });
  const bareStdio = programs.peer('lines', { body: '{"jsonrpc":"2.0","id":1,"result":{}}\n' });
  const found = await medians(Math.max(rounds, MIN_STARTS), {
    bareHttp: start(() => firstResponse(bareHttp, '/')),
    http: start(() => firstResponse(ours('serve'), '/api/feed')),
    bareStdio: start(() => firstLine(bareStdio)),
    stdio: start(() => firstLine(ours('stdio'))),
  });
  const startRow = (name: 'startHttp' | 'startStdio', package_: number, bare: number): void =>
    row(name, package_ / bare, `${formatNumber(package_)} ms, ${formatNumber(bare)} ms`);
  startRow('startHttp', found.http, found.bareHttp);
  startRow('startStdio', found.stdio, found.bareStdio);
}

/** Sends a line. @returns the next line of the process */
type LineServer = (line: string) => Promise<Buffer>;

function startLineServer(programs: Programs, program: Program): LineServer {
  const child = programs.start(program);
  return async (request) => {
    child.stdin!.write(`${request}\n`);
    const chunks: Buffer[] = [];
    do chunks.push(...((await once(child.stdout!, 'data')) as [Buffer]));
    while (chunks.at(-1)!.at(-1) !== NEWLINE);
    return Buffer.concat(chunks);
  };
}

async function connect(programs: Programs, program: Program, revision: Revision): Promise<LineServer> {
  const child = startLineServer(programs, program);
  await child(firstMessage(revision));
  // A notification has no response, so the next request goes with it.
  if (revision === '2025') await child(`${INITIALIZED}\n${readFeedCall(revision)}`);
  return child;
}

/** @returns a measurement: the median milliseconds of calls one after the other */
async function callsOf(server: LineServer, revision: Revision): Promise<() => Promise<number>> {
  let id = 1;
  const measure = async (count: number): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < count; n++) {
      const request = readFeedCall(revision, ++id);
      // Every client parses the response.
      times.push(await timed(async () => JSON.parse((await server(request)).toString()) as unknown));
    }
    return times;
  };
  await measure(WARM_UP_CALLS);
  return async () => median(await measure(CALLS_PER_TURN));
}
