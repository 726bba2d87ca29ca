import { parseArgs } from 'node:util';
import { Commands } from '../interop/commands.ts';
import { lineOf } from '../interop/table.ts';
import { runToEnd } from '../torture/support/run-to-end.ts';
import { Sandbox } from '../torture/support/sandbox.ts';
import { secondsSince } from '../torture/support/time.ts';
import { launchChromium, type Browser } from './browser/chromium.ts';
import type { CheckContext, PageCheck } from './check.ts';
import { CHECKS } from './checks.ts';
import { Faults } from './faults.ts';
import { takePictures } from './pictures.ts';
import { startDemo, startWorlds } from './world.ts';

const HELP = `npm run pages -- [check ...] [--pictures FOLDER]

Opens the pages and feeds of three real servers, one with an empty store, one with texts that are hard to show and the
demo, in a real browser and in real feed readers, and prints the results. Runs every check, unless some are named:

${CHECKS.map(({ name, description }) => `  ${name.padEnd(15)}${description}`).join('\n')}

  --pictures FOLDER   writes the six main pages of the demo as PNG: the pictures of docs/pages
  --serve             starts the servers, prints their addresses and waits for Ctrl+C

CHROME_PATH names the browser, FEED_VALIDATOR a checkout of github.com/w3c/feedvalidator.
`;

interface Arguments {
  readonly help: boolean;
  readonly serve: boolean;
  readonly checks: readonly PageCheck[];
  /** The folder; undefined for none. */
  readonly pictures: string | undefined;
}

interface Result {
  readonly row: string;
  readonly details: readonly string[];
  readonly failed: boolean;
}

const sandbox = new Sandbox();
const commands = new Commands();
sandbox.after(() => {
  commands.close();
});

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

let browser: Promise<Browser> | undefined;

function openBrowser(): Promise<Browser> {
  browser ??= launchChromium().then((launched) => {
    sandbox.after(() => launched.close());
    return launched;
  });
  return browser;
}

const rowOf = (...cells: readonly (string | number)[]): string => lineOf(cells.map(String));

async function runCheck(check: PageCheck, shared: Omit<CheckContext, 'faults'>): Promise<Result> {
  const reason = check.missing?.();
  if (reason !== undefined)
    return { row: rowOf(check.name, 0, 0, 'not run', `not run: ${reason}`), details: [], failed: false };
  const start = performance.now();
  const faults = new Faults();
  let remark = '';
  try {
    remark = await check.run({ ...shared, faults });
  } catch (error) {
    faults.add({ page: 'the check broke off' }, reasonOf(error));
  }
  console.error(`${check.name}: ${secondsSince(start)} s`);
  const failed = faults.count > 0 || faults.examined === 0;
  return {
    row: rowOf(check.name, faults.examined, faults.count, failed ? 'FAILED' : 'passed', remark),
    details: faults.count > 0 ? [`${check.name}:`, ...faults.lines] : [],
    failed,
  };
}

/** @throws Error if an argument is unknown */
function readArguments(): Arguments {
  const { values, positionals: names } = parseArgs({
    allowPositionals: true,
    options: {
      pictures: { type: 'string' },
      serve: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const { help = false, serve = false, pictures } = values;
  const unknown = names.filter((name) => !CHECKS.some((check) => check.name === name));
  if (unknown.length > 0) throw new Error(`There is no check called ${unknown.join(', ')}.`);
  const checks = CHECKS.filter(({ name }) => names.length === 0 || names.includes(name));
  return { help, serve, checks, pictures };
}

/** @returns whether nothing failed */
async function runChecks(
  checks: readonly PageCheck[],
  shared: Omit<CheckContext, 'faults'>,
): Promise<boolean> {
  const results: Result[] = [];
  for (const check of checks) results.push(await runCheck(check, shared));
  const details = results.flatMap(({ details: lines }) => lines);
  const head = [rowOf('check', 'examined', 'faults', 'outcome', 'remark'), '|---|---|---|---|---|'];
  if (results.length > 0) console.log([...head, ...results.map(({ row }) => row)].join('\n'));
  if (details.length > 0) console.log(`\n${details.join('\n')}`);
  return results.every(({ failed }) => !failed);
}

async function main(): Promise<number> {
  const { help, serve, checks, pictures } = readArguments();
  if (help) {
    console.log(HELP);
    return 0;
  }
  if (pictures !== undefined) {
    const { url, threadId } = await startDemo(sandbox);
    await takePictures(await openBrowser(), url, threadId, pictures);
    return 0;
  }
  const worlds = await startWorlds(sandbox, Date.now());
  if (serve) {
    console.log(`full:  ${worlds.full.url}/\nempty: ${worlds.empty.url}/\ndemo:  ${worlds.demo.url}/`);
    return new Promise<number>(() => undefined);
  }
  const shared = { worlds, browser: openBrowser, commands, sandbox };
  return (await runChecks(checks, shared)) ? 0 : 1;
}

await runToEnd({ main, cleanUp: () => sandbox.close(), help: HELP });
