import { CommandError, type Command, type Flag } from '#commands/command.ts';
import { createTerminal } from '#commands/terminal.ts';
import { StoreFailure } from '#store/store.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { openStore } from './open-store.ts';

/** The flags of one call, as the parser returns them. */
export interface OperatorFlags extends Partial<Record<Exclude<Flag, 'continue' | 'json'>, string>> {
  readonly continue?: boolean;
  readonly json?: boolean;
  readonly dataDir?: string;
  readonly databaseUrl?: string;
}

/**
 * Runs an operator's command on the store of the settings, beside the servers that run on it.
 * @throws ConfigError if a setting is wrong, Refusal if the command cannot be carried out, Interrupted
 */
export async function runCommand(
  command: Command,
  positionals: readonly string[],
  flags: OperatorFlags,
): Promise<void> {
  const interruption = createInterruptSignal();
  const terminal = createTerminal(interruption);
  const report = (what: string): void => {
    terminal.logStatus(what);
  };
  const place = storeConfig({ DATA_DIR: flags.dataDir, DATABASE_URL: flags.databaseUrl });
  const goal = flags.to === undefined ? undefined : storeConfig(toStoreFlags(flags.to));
  await command.checkArguments?.(positionals);
  const store = await openStore(place, report, command.makesStore !== true);
  try {
    const target = goal && (await openStore(goal, report));
    try {
      await command.run(
        store,
        {
          positionals,
          reason: flags.reason,
          target,
          resume: flags.continue === true,
          json: flags.json === true,
        },
        terminal,
      );
    } finally {
      await target?.close();
    }
  } catch (error) {
    if (!(error instanceof StoreFailure && error.stored === 'unknown')) throw error;
    throw new CommandError(
      `${error.message}. It may be done only in part; run the same command again once that is mended.`,
    );
  } finally {
    await store.close();
  }
}

/** The first Ctrl+C lets the command end between two batches; the second ends the process at once. */
function createInterruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  });
  return controller.signal;
}

type StoreFlags = Readonly<Partial<Record<'DATA_DIR' | 'DATABASE_URL', string | undefined>>>;

/** Flags win over environment variables, a folder also over a database of the environment. @throws ConfigError */
function storeConfig(flags: StoreFlags): Pick<Config, 'dataDir' | 'databaseUrl'> {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  if (given.some(([, value]) => value === ''))
    throw new ConfigError('The name of a store is empty; name a folder or the address of a database.');
  const environment = given.length === 0 ? process.env : { ...process.env, DATABASE_URL: '' };
  return readConfig({ ...environment, ...Object.fromEntries(given) });
}

/** @param name a folder, or the address of a database */
function toStoreFlags(name: string): StoreFlags {
  return { [/^postgres(?:ql)?:/.test(name) ? 'DATABASE_URL' : 'DATA_DIR']: name };
}
