import { execFileSync } from 'node:child_process';
import { BenchContext } from './bench-context.ts';
import { helpText, parseOptions, type BenchOptions } from './options.ts';
import { describeRun, formatRows, TABLE_HEAD, writeTable } from './report.ts';
import type { Row } from './row.ts';
import { erasing } from './rows/erasing.ts';
import { mcp } from './rows/mcp.ts';
import { opening } from './rows/opening.ts';
import { postgres } from './rows/postgres.ts';
import { posts } from './rows/posts.ts';
import { reads } from './rows/reads.ts';
import { search } from './rows/search.ts';
import { sharing } from './rows/sharing.ts';
import { startUp } from './rows/start-up.ts';
import { stdio } from './rows/stdio.ts';
import { waiting } from './rows/waiting.ts';
import { work } from './rows/work.ts';
import { SeededStores } from './stores.ts';

const BENCHES = [
  reads,
  posts,
  sharing,
  opening,
  erasing,
  mcp,
  stdio,
  startUp,
  search,
  waiting,
  work,
  postgres,
];
const NAMES = BENCHES.map(({ name }) => name);

async function run({ names, settings, write }: BenchOptions, args: readonly string[]): Promise<void> {
  // Checks the markers first, so that a long run does not end with an error about them.
  if (write) writeTable();
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], {
    cwd: new URL('peers', import.meta.url),
    stdio: 'ignore',
  });
  const description = describeRun(args);
  // Each bench prints its rows when it ends, so that a later failure loses none.
  console.log(`${description}\n\n${TABLE_HEAD}`);
  const rows: Row[] = [];
  const stores = new SeededStores();
  try {
    for (const bench of BENCHES.filter(({ name }) => names.length === 0 || names.includes(name))) {
      console.error(`${bench.name} …`);
      const context = new BenchContext(stores);
      try {
        const measured = await bench.run(context, settings);
        console.log(formatRows(measured));
        rows.push(...measured);
      } finally {
        await context.close();
      }
    }
  } finally {
    stores.close();
  }
  if (write)
    writeTable(`${description}\n\n${TABLE_HEAD}\n${formatRows(rows.filter(({ goal }) => goal !== ''))}`);
}

function parseOrExit(args: string[]): BenchOptions {
  try {
    return parseOptions(args, NAMES);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${helpText(NAMES)}`);
    process.exit(2);
  }
}

const args = process.argv.slice(2);
const options = parseOrExit(args);
if (options.help) console.log(helpText(NAMES));
else await run(options, args);
