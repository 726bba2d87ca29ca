import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runToEnd } from './support/run-to-end.ts';
import { Sandbox } from './support/sandbox.ts';
import { secondsSince } from './support/time.ts';
import { runScenario, type Outcome } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const HELP = `npm run torture -- [promise ...] [--rounds N] [--seed N]

Puts the real service into the conditions that it promises to survive, and prints the outcomes. Runs every promise, unless
some are named:

${SCENARIOS.map(({ name, description }) => `  ${name.padEnd(27)}${description}`).join('\n')}

  --rounds N    how often, for promises that are tried more than once (for the record: folder-kills --rounds 500)
  --seed N      repeats the random choices of the run that printed this seed
`;

interface Settings {
  readonly rounds: number | undefined;
  readonly seed: number;
}

function rowOf(name: string, { rounds, lost, verdict, remark }: Outcome): string {
  const cell = verdict === 'not run' ? `not run: ${remark}` : remark;
  const cells = [
    name,
    rounds,
    lost,
    verdict,
    cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').slice(0, 600),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Of the scenario that runs. */
let cleanUp = async (): Promise<void> => undefined;

/** @throws Error if an argument is unknown or invalid */
function readArguments(): Settings & { readonly help: boolean; readonly names: readonly string[] } {
  const {
    values: { help = false, ...numbers },
    positionals: names,
  } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  });
  const unknown = names.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown.length > 0) throw new Error(`There is no promise called ${unknown.join(', ')}.`);
  for (const [name, text] of Object.entries(numbers)) {
    if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} is a whole number from 1.`);
  }
  const { rounds, seed } = numbers;
  return {
    help,
    names,
    rounds: rounds === undefined ? undefined : Number(rounds),
    seed: Number(seed ?? randomInt(1, 1_000_000)),
  };
}

async function main(): Promise<number> {
  const { help, names, ...settings } = readArguments();
  if (help) {
    console.log(HELP);
    return 0;
  }
  console.error(`seed ${settings.seed}`);
  const rows: string[] = [];
  let failed = false;
  for (const scenario of SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const start = performance.now();
    const sandbox = new Sandbox();
    cleanUp = () => sandbox.close();
    const outcome = await runScenario(scenario, { ...settings, isShort: false }, sandbox);
    console.error(`${scenario.name}: ${outcome.verdict} after ${secondsSince(start)} s`);
    failed ||= outcome.verdict === 'FAILED';
    rows.push(rowOf(scenario.name, outcome));
  }
  console.log(`seed ${settings.seed}, Node ${process.version}, ${process.platform}\n`);
  console.log(
    ['| promise | rounds | lost | verdict | remark |', '|---|---|---|---|---|', ...rows].join('\n'),
  );
  return failed ? 1 : 0;
}

await runToEnd({ main, cleanUp: () => cleanUp(), help: HELP });
