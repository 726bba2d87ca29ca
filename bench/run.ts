import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Lab } from './lab.ts';
import type { Row } from './row.ts';
import { mcp } from './rows/mcp.ts';
import { opening } from './rows/opening.ts';
import { reads } from './rows/reads.ts';
import { writes } from './rows/writes.ts';

const BENCHES = [reads, writes, opening, mcp];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' }, large: { type: 'string', default: '100000' } },
});
const effort = { rounds: Number(values.rounds), seconds: Number(values.seconds), large: Number(values.large) };

execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: new URL('peers', import.meta.url), stdio: 'ignore' });

const rows: Row[] = [];
for (const { name, run } of BENCHES.filter((bench) => positionals.length === 0 || positionals.includes(bench.name))) {
  const lab = new Lab();
  console.error(`${name} …`);
  try {
    rows.push(...await run(lab, effort));
  } finally {
    lab.close();
  }
}

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
console.log(`${cpus()[0]?.model ?? 'a processor'}, ${cpus().length} cores, Node ${process.version}, commit ${commit}, `
  + `${effort.rounds} rounds of ${effort.seconds} s\n`);
console.log('| path | goal | measured | |\n|---|---|---|---|');
const verdict = ({ met }: Row): string => (met === undefined ? '' : met ? 'met' : 'missed');
for (const row of rows) console.log(`| ${row.path} | ${row.goal} | ${row.measured} | ${verdict(row)} |`);
