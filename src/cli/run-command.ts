import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import {
  CommandError,
  type Command,
  type CommandArgs,
  type CommandFlags,
  type CommandOutput,
} from '#commands/command.ts';
import { createTerminal } from '#commands/terminal.ts';
import { StoreFailure } from '#store/port/store.ts';
import { ConfigError, readConfig, type Config } from '#settings/config.ts';
import { createPrivateStore, openStore, type StoreConfig } from '#server/open-store.ts';

export interface OperatorFlags extends CommandFlags {
  readonly dataDir?: string;
  readonly keysDir?: string;
  readonly databaseUrl?: string;
}

/** Servers may have the same store open. @throws ConfigError, CommandError, Interrupted after Ctrl+C */
export async function runCommand(
  command: Command,
  positionals: readonly string[],
  flags: OperatorFlags,
): Promise<void> {
  const interruption = createInterruptSignal();
  const terminal = createTerminal(interruption);
  const source = storeConfig({ DATA_DIR: flags.dataDir, DATABASE_URL: flags.databaseUrl }, flags.keysDir);
  const now = (): number => Date.now();
  const latest = flags.clamp === true ? Infinity : now();
  const input = await command.openInput?.(positionals, copyFolders(source), latest);
  try {
    await runOnStore(command, source, terminal, {
      ...flags,
      positionals,
      service: { name: source.serviceName },
      input,
      now,
      readInput: () => readText(process.stdin),
    });
  } finally {
    await input?.close();
  }
}

async function runOnStore(
  command: Command,
  source: StoreConfig,
  terminal: CommandOutput,
  args: Omit<CommandArgs, 'privateStore'>,
): Promise<void> {
  const report = (message: string): void => {
    terminal.logStatus(message);
  };
  const { createsStore = false } = command;
  const store = await openStore(source, report, {
    mustExist: !createsStore,
    keepsKeys: true,
  });
  const privateStore = await createPrivateStore(source, report);
  try {
    await command.run(store, { ...args, privateStore }, terminal);
  } catch (error) {
    if (!(error instanceof StoreFailure && error.stored === 'unknown')) throw error;
    throw new CommandError(
      `${error.message}. The command may have finished only in part; repair the store and run the same ` +
        'command again.',
    );
  } finally {
    await privateStore.close();
    await store.close();
  }
}

/**
 * For the copy of an import. In the container image the temporary folder is not writable, and DATA_DIR is.
 * The parent is for a data folder that does not exist yet.
 */
function copyFolders({ dataDir }: StoreConfig): string[] {
  return [...(dataDir === '' ? [] : [dataDir, dirname(dataDir)]), tmpdir()];
}

/** Aborts at the first Ctrl+C: the command stops between two batches. The second one exits. */
export function createInterruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  });
  return controller.signal;
}

export type StoreFlags = Readonly<Partial<Record<'DATA_DIR' | 'DATABASE_URL', string | undefined>>>;

/** Flags take precedence over environment variables, --data-dir over DATABASE_URL too. @throws ConfigError */
export function storeConfig(flags: StoreFlags, keysDir = process.env['KEYS_DIR']): Config {
  const present = Object.entries(flags).filter(([, value]) => value !== undefined);
  if (present.some(([, value]) => value === ''))
    throw new ConfigError('The name of a store is empty; give a folder or the address of a database.');
  const environment = present.length === 0 ? process.env : { ...process.env, DATABASE_URL: '' };
  // Commands store no client keys, and the operator may not be allowed to read VISITOR_SECRET.
  return readConfig({
    ...environment,
    ...Object.fromEntries(present),
    KEYS_DIR: keysDir,
    VISITOR_SECRET: '',
    VISITOR_SECRET_DIR: '',
  });
}
