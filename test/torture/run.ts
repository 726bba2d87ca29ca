import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Chance } from './support/random.ts';
import { missing } from './support/requirements.ts';
import { Place } from './support/sandbox.ts';
import { secondsSince, within } from './support/time.ts';
import { Tally, type Outcome, type TorturePromise } from './scenario.ts';
import { PROMISES } from './scenarios.ts';

const HELP = `npm run torture -- [promise ...] [--rounds N] [--seed N]

Does to the real service what it promises to survive, and prints what became of it. All promises, unless some are named:

${PROMISES.map(({ name, does }) => `  ${name.padEnd(27)}${does}`).join('\n')}

  --rounds N    how often, where a promise is tried more than once (for the record: kill --rounds 500)
  --seed N      the same chance as in a run that printed this seed
`;

const START_SECONDS = 60;

interface Settings {
  readonly rounds: number | undefined;
  readonly seed: number;
}

async function test(
  promise: TorturePromise,
  { rounds = promise.rounds, seed }: Settings,
  place: Place,
): Promise<Outcome> {
  const reasons = (promise.needs ?? []).flatMap((need) => missing(need) ?? []);
  if (reasons.length > 0) return { rounds: 0, lost: 0, verdict: 'not run', remark: reasons.join('; ') };
  const tally = new Tally();
  const tell = (what: string): void => {
    console.error(`  ${promise.name}: ${what}`);
  };
  const limit = START_SECONDS + Math.max(rounds, promise.rounds) * promise.seconds;
  try {
    return await within(limit, 'it', promise.run({ rounds, chance: new Chance(seed), place, tally, tell }));
  } catch (error) {
    tally.expect(false, error instanceof Error ? error.message : 'no error');
    return tally.outcome('');
  } finally {
    await place.close();
  }
}

function rowOf(name: string, { rounds, lost, verdict, remark }: Outcome): string {
  const told = verdict === 'not run' ? `not run: ${remark}` : remark;
  const cells = [
    name,
    rounds,
    lost,
    verdict,
    told.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').slice(0, 600),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** What is under way is ended and removed, whatever ends us. npm passes Ctrl+C on, so that it comes twice. */
let leave = async (): Promise<void> => undefined;
let leaving: Promise<void> | undefined;

function leaveOn(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'uncaughtException', code: number): void {
  process.on(event, (what: unknown) => {
    if (leaving !== undefined) return;
    console.error(what);
    leaving = leave().finally(() => process.exit(code));
  });
}

/** @throws where the command line says something else than the help */
function readArguments(): Settings & { readonly help: boolean; readonly names: readonly string[] } {
  const {
    values: { help = false, ...numbers },
    positionals: names,
  } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  });
  const unknown = names.filter((name) => !PROMISES.some((promise) => promise.name === name));
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
  for (const promise of PROMISES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const start = performance.now();
    const place = new Place();
    leave = () => place.close();
    const outcome = await test(promise, settings, place);
    await leaving;
    console.error(`${promise.name}: ${outcome.verdict} after ${secondsSince(start)} s`);
    failed ||= outcome.verdict === 'FAILED';
    rows.push(rowOf(promise.name, outcome));
  }
  console.log(`seed ${settings.seed}, Node ${process.version}, ${process.platform}\n`);
  console.log(
    ['| promise | rounds | lost | verdict | remark |', '|---|---|---|---|---|', ...rows].join('\n'),
  );
  return failed ? 1 : 0;
}

leaveOn('SIGINT', 130);
leaveOn('SIGTERM', 143);
leaveOn('SIGHUP', 129);
leaveOn('uncaughtException', 1);
try {
  process.exit(await main());
} catch (error) {
  console.error(`${error instanceof Error ? error.message : 'no error'}\n\n${HELP}`);
  process.exit(2);
}
