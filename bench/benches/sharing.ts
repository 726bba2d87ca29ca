import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeExport } from '#workspace/log/export-format.ts';
import { LARGE, posts } from '../data.ts';
import { loadDuring, POST, warmUp } from '../load.ts';
import { longest, measureInTurn, median, percentile99 } from '../measure.ts';
import { type RunningServer } from '../programs.ts';
import { formatNumber, formatRate, type Bench, type BenchContext } from '../rows.ts';

const SECOND_EDITION = '9ec9ee02';

const SERVERS = 4;

/** The pause of the client that posts beside an import. */
const PAUSE_MS = 5;

/** Processes that write to one folder. */
export const sharing: Bench = async (context) => {
  await fourServers(context);
  await besideImport(context);
};

async function fourServers({ programs, rounds, seconds, row }: BenchContext): Promise<void> {
  const serveAll = async (folder: string, launcher?: string): Promise<RunningServer[]> => {
    const servers: RunningServer[] = [];
    for (let n = 0; n < SERVERS; n++) servers.push(await programs.serveFolder(folder, launcher));
    return servers;
  };
  const second = await serveAll(programs.path('second'), programs.buildCommit(SECOND_EDITION));
  const ours = await serveAll(programs.path('ours'));
  for (const server of [...second, ...ours]) await warmUp(server);
  /** @returns the milliseconds of the posts of each */
  const loadAll = (servers: RunningServer[]) => (): Promise<number[][]> =>
    Promise.all(servers.map((server) => loadDuring(server, POST, 0, sleep(seconds * 1000))));
  const samples = await measureInTurn(rounds, { second: loadAll(second), ours: loadAll(ours) });
  await programs.stopAll();
  const rate = (times: number[][][]): number => times.flat(2).length / (rounds * seconds);
  row(
    'fourProcesses',
    rate(samples.ours) / rate(samples.second),
    `${formatRate(rate(samples.ours))}, ${formatRate(rate(samples.second))}`,
  );
  const times = samples.ours.flat(2);
  row('fourProcessesSlowest', longest(times), `median ${formatNumber(median(times))} ms`);
  const counts = ours.map((_, n) => samples.ours.reduce((sum, all) => sum + all[n]!.length, 0));
  row('fourProcessesShare', Math.min(...counts) / times.length);
}

async function besideImport({ data, programs, rounds, row }: BenchContext): Promise<void> {
  const file = programs.path('export.jsonl');
  const lines: string[] = [];
  for await (const line of encodeExport(Readable.from(posts(-LARGE, 0)))) lines.push(line);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const folder = await data.copyFolder(LARGE);
    const server = await programs.serveFolder(folder);
    await warmUp(server);
    const importing = programs.run(programs.porchlight(['import', file], { DATA_DIR: folder }));
    times.push(...(await loadDuring(server, POST, PAUSE_MS, importing)));
    await programs.stopAll();
  }
  row('importPercentile', percentile99(times), `median ${formatNumber(median(times))} ms`);
  row('importLongest', longest(times), `of ${formatNumber(times.length)} posts`);
}
