import { parseArgs } from 'node:util';
import { Refusal, type Command } from '#operator/command.ts';
import { terminal } from '#operator/terminal.ts';
import { StoreFailure } from '#store/store.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { openStore } from './world.ts';

const PLACE = { 'data-dir': { type: 'string' }, 'database-url': { type: 'string' } } as const;
const FLAGS = { reason: { type: 'string' }, to: { type: 'string' }, continue: { type: 'boolean' } } as const;

/**
 * Runs an operator's command on the store of the settings, beside the servers that run on it.
 * @throws ConfigError where the words are off, Refusal where the store says no
 */
export async function operate(name: string, command: Command, args: string[]): Promise<void> {
  const {
    values: { 'data-dir': folder, 'database-url': url, ...flags },
    positionals,
  } = parseArgs({
    args,
    options: { ...PLACE, ...FLAGS },
    allowPositionals: true,
  });
  refuseOtherWords(name, command, positionals, Object.keys(flags));
  const report = (what: string): void => {
    terminal.tell(what);
  };
  const place =
    folder === undefined && url === undefined ? readConfig(process.env) : placeOf(url ?? folder ?? '');
  const goal = flags.to === undefined ? undefined : placeOf(flags.to);
  const store = await openStore(place, report, command.makesStore !== true);
  try {
    const target = goal && (await openStore(goal, report));
    try {
      await command.run(
        store,
        { words: positionals, reason: flags.reason, target, goesOn: flags.continue === true },
        terminal,
      );
    } finally {
      await target?.close();
    }
  } catch (error) {
    if (!(error instanceof StoreFailure && error.kept === 'unknown')) throw error;
    throw new Refusal(
      `${error.message}. It may be done only in part; run the same command again once that is mended.`,
    );
  } finally {
    await store.close();
  }
}

/** @param name a folder, or the address of a database */
function placeOf(name: string): Pick<Config, 'dataDir' | 'databaseUrl'> {
  if (name === '')
    throw new ConfigError('The name of a store is empty; name a folder or the address of a database.');
  return readConfig({
    ...process.env,
    DATABASE_URL: '',
    [/^postgres(?:ql)?:/.test(name) ? 'DATABASE_URL' : 'DATA_DIR']: name,
  });
}

function refuseOtherWords(
  name: string,
  { words, usage, needs = [], takes = [] }: Command,
  given: readonly string[],
  flags: readonly string[],
): void {
  const known: readonly string[] = [...needs, ...takes];
  if (
    given.length === words &&
    needs.every((flag) => flags.includes(flag)) &&
    flags.every((flag) => known.includes(flag))
  )
    return;
  throw new ConfigError(`Write: porchlight ${name} ${usage}`.trimEnd());
}
