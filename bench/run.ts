import { execFileSync } from 'node:child_process';
import { Lab } from './bench-context.ts';
import { helpOf, optionsOf, type Wanted } from './options.ts';
import { circumstances, place, tableOf } from './report.ts';
import type { Row } from './row.ts';
import { growth } from './rows/growth.ts';
import { lists } from './rows/lists.ts';
import { mcp } from './rows/mcp.ts';
import { memory } from './rows/memory.ts';
import { opening } from './rows/opening.ts';
import { postgres } from './rows/postgres.ts';
import { posts } from './rows/posts.ts';
import { reads } from './rows/reads.ts';
import { startUp } from './rows/start-up.ts';
import { stdio } from './rows/stdio.ts';
import { writes } from './rows/writes.ts';
import { Stores } from './stores.ts';

const BENCHES = [reads, writes, posts, growth, opening, mcp, stdio, lists, startUp, memory, postgres];
const NAMES = BENCHES.map(({ name }) => name);

async function run({ names, effort, write }: Wanted, args: readonly string[]): Promise<void> {
  // Asked for before the long work, so that it is not done for nothing.
  if (write) place();
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], {
    cwd: new URL('peers', import.meta.url),
    stdio: 'ignore',
  });
  const about = circumstances(args);
  const rows: Row[] = [];
  const stores = new Stores();
  try {
    for (const bench of BENCHES.filter(({ name }) => names.length === 0 || names.includes(name))) {
      console.error(`${bench.name} …`);
      const lab = new Lab(stores);
      try {
        rows.push(...(await bench.run(lab, effort)));
      } finally {
        await lab.close();
      }
    }
  } finally {
    stores.close();
  }
  const text = `${about}\n\n${tableOf(rows)}`;
  console.log(text);
  if (write) place(text);
}

function wanted(args: string[]): Wanted {
  try {
    return optionsOf(args, NAMES);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${helpOf(NAMES)}`);
    process.exit(2);
  }
}

const args = process.argv.slice(2);
const options = wanted(args);
if (options.help) console.log(helpOf(NAMES));
else await run(options, args);
