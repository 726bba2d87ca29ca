import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { database } from './benches/database.ts';
import { folder } from './benches/folder.ts';
import { mcp } from './benches/mcp.ts';
import { mirror } from './benches/mirror.ts';
import { posts } from './benches/posts.ts';
import { reads } from './benches/reads.ts';
import { search } from './benches/search.ts';
import { sharing } from './benches/sharing.ts';
import { stdio } from './benches/stdio.ts';
import { waits } from './benches/waits.ts';
import { windows } from './benches/windows.ts';
import { work } from './benches/work.ts';
import { Data } from './data.ts';
import { Programs } from './programs.ts';
import { describeRun, writeTable } from './report.ts';
import {
  formatPublished,
  formatRow,
  PUBLISHED_HEAD,
  ROWS,
  TABLE_HEAD,
  type Bench,
  type RowName,
  type Settings,
} from './rows.ts';

/** Those with a database come last: once it is started it runs to the end. */
const BENCHES: Readonly<Record<string, Bench>> = {
  reads,
  posts,
  sharing,
  mcp,
  stdio,
  folder,
  search,
  waits,
  mirror,
  work,
  windows,
  database,
};
const NAMES = Object.keys(BENCHES);

/** Before keys, marks and standings were made cheaper. */
const BESIDE = '3be5fc37';

const HELP = `npm run bench -- [options] [${NAMES.join('|')} …]

  --rounds N     how often each is measured, after one warm-up round (3)
  --seconds N    how long each load lasts (2)
  --beside HASH  the commit that some rows of posts are measured beside (${BESIDE})
  --write        writes ten of the rows into docs/performance.md, without goals
`;

interface Options extends Settings {
  /** Empty for all benches. */
  readonly names: readonly string[];
  readonly write: boolean;
  readonly help: boolean;
}

/** @throws Error if a name is unknown or a number invalid */
function parseOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      beside: { type: 'string', default: BESIDE },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const unknown = positionals.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no bench ${unknown.join(', ')}; there are ${NAMES.join(', ')}.`);
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  for (const value of [rounds, seconds])
    if (!Number.isInteger(value) || value < 1)
      throw new Error('--rounds and --seconds take whole numbers from 1.');
  const { beside, write, help } = values;
  return { names: positionals, rounds, seconds, beside, write, help };
}

function parseOrExit(args: string[]): Options {
  try {
    return parseOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}

async function run({ names, write, ...settings }: Options, args: readonly string[]): Promise<void> {
  // Checks the markers first, so that a long run does not end with an error about them.
  if (write) writeTable();
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], {
    cwd: new URL('peers', import.meta.url),
    stdio: 'ignore',
  });
  const description = describeRun(args);
  console.log(`${description}\n\n${TABLE_HEAD}`);
  const published = [description, '', PUBLISHED_HEAD];
  const measured = new Set<RowName>();
  const data = new Data();
  try {
    for (const name of names.length === 0 ? NAMES : names) {
      console.error(`${name} …`);
      const programs = new Programs();
      const row = (rowName: RowName, value: number, detail?: string): void => {
        measured.add(rowName);
        console.log(formatRow(rowName, value, detail));
        const line = formatPublished(rowName, value, detail);
        if (line !== undefined) published.push(line);
      };
      try {
        await BENCHES[name]!({ ...settings, data, programs, row });
      } finally {
        await programs.close();
      }
    }
  } finally {
    await data.close();
  }
  const missing = (Object.keys(ROWS) as RowName[]).filter((name) => !measured.has(name));
  if (names.length === 0 && missing.length > 0) throw new Error(`No bench measures ${missing.join(', ')}.`);
  if (write) writeTable(published.join('\n'));
}

const args = process.argv.slice(2);
const options = parseOrExit(args);
if (options.help) console.log(HELP);
else await run(options, args);
