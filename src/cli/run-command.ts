import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { CommandError, type Command, type CommandFlags } from '#commands/command.ts';
import { salvage } from '#commands/salvage.ts';
import { describeStatus, findFaults, type DiskSpace } from '#commands/status.ts';
import { createTerminal } from '#commands/terminal.ts';
import { repairFolder } from '#store/folder/failed-sync.ts';
import { listNames } from '#store/folder/fs/atomic-files.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { ownedDisk } from '#store/folder/fs/owned-disk.ts';
import { thisHost } from '#store/folder/host.ts';
import { checkNames } from '#store/folder/open-log.ts';
import { salvageFolder } from '#store/folder/salvage.ts';
import { StoreFailure } from '#store/port/store.ts';
import { ConfigError, readConfig, type Config } from '#settings/config.ts';
import { createPrivateStore, openStore } from '#server/open-store.ts';

export interface OperatorFlags extends CommandFlags {
  readonly dataDir?: string;
  readonly keysDir?: string;
  readonly databaseUrl?: string;
}

/** Servers may have the same store open. @throws ConfigError, CommandError */
export async function runCommand(
  command: Command,
  positionals: readonly string[],
  flags: OperatorFlags,
): Promise<void> {
  const terminal = createTerminal(createInterruptSignal());
  const { logStatus } = terminal;
  const source = storeConfig(flags);
  const now = (): number => Date.now();
  const latest = flags.clamp === true ? Infinity : now();
  const { dataDir, serviceName } = source;
  // For the copy of an import. In the container image only DATA_DIR is writable, not the temporary folder.
  // The parent is used if the data folder does not exist yet.
  const copyFolders = [...(dataDir === '' ? [] : [dataDir, dirname(dataDir)]), tmpdir()];
  const input = await command.openInput?.(positionals, copyFolders, latest);
  const args = { ...flags, positionals, service: { name: serviceName }, input, now };
  const readInput = (): Promise<string> => readText(process.stdin);
  try {
    const store = await openStore(source, logStatus, { mustExist: !command.createsStore, isCommand: true });
    const privateStore = await createPrivateStore(source, logStatus);
    try {
      await command.run(store, { ...args, privateStore, readInput }, terminal);
    } finally {
      await privateStore.close();
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreFailure && error.stored === 'unknown')) throw error;
    throw new CommandError(
      `${error.message}. The command may have finished only in part; repair the store and run the same ` +
        'command again.',
    );
  } finally {
    await input?.close();
  }
}

/** Aborts at the first Ctrl+C, so the command stops between two batches. The second Ctrl+C exits at once. */
function createInterruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  });
  return controller.signal;
}

/** Flags take precedence over environment variables, --data-dir over DATABASE_URL too. @throws ConfigError */
function storeConfig({ dataDir, databaseUrl, keysDir = process.env['KEYS_DIR'] }: OperatorFlags): Config {
  const stores = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
  const present = Object.entries(stores).filter(([, value]) => value !== undefined);
  if (present.some(([, value]) => value === ''))
    throw new ConfigError('The name of a store is empty; give a folder or the URL of a database.');
  const environment = present.length === 0 ? process.env : { ...process.env, DATABASE_URL: '' };
  // Commands store no client keys, and the operator may lack permission to read VISITOR_SECRET.
  return readConfig({
    ...environment,
    ...Object.fromEntries(present),
    KEYS_DIR: keysDir,
    VISITOR_SECRET: '',
    VISITOR_SECRET_DIR: '',
  });
}

/**
 * Opens no store.
 * @throws CommandError after printing faults; ConfigError; StoreFailure; CorruptionError without a store
 */
export async function runStatus({ json = false, ...flags }: OperatorFlags): Promise<void> {
  const config = storeConfig(flags);
  const privateStore = await createPrivateStore(config, () => undefined);
  try {
    const now = Date.now();
    if (config.databaseUrl === undefined)
      checkNames(config.dataDir, await listNames(nodeDisk, config.dataDir), true);
    const states = await privateStore.servers();
    const disk = config.databaseUrl === undefined ? await readDiskSpace(config.dataDir) : null;
    const faults = findFaults(states, disk, now);
    const status = { ok: faults.length === 0, faults, servers: states, disk };
    const lines = json ? [JSON.stringify(status)] : describeStatus(states, faults, disk, now);
    for (const line of lines) console.log(line);
    // The faults are the message.
    if (faults.length > 0) throw new CommandError('');
  } finally {
    await privateStore.close();
  }
}

/** @returns null for a folder that does not exist */
async function readDiskSpace(folder: string): Promise<DiskSpace | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return null;
  }
}

/** Opens no store. @throws ConfigError, CorruptionError, StoreFailure */
export async function runRepair(flags: OperatorFlags): Promise<void> {
  const terminal = createTerminal(createInterruptSignal());
  const { dataDir: folder } = storeConfig(flags);
  const disk = ownedDisk(folder);
  checkNames(folder, await listNames(disk, folder), true);
  const isRepaired = await repairFolder({ disk, folder, host: thisHost });
  terminal.printResult(
    isRepaired
      ? 'The log has been rewritten. Restart every process that has the folder open.'
      : 'Nothing was done: this folder has no record of a write that the disk failed to store.',
  );
}

/** Opens no store. @throws CommandError */
export async function runSalvage(folder: string, file: string): Promise<void> {
  const terminal = createTerminal(createInterruptSignal());
  await salvage(folder, file, () => salvageFolder(nodeDisk, folder), terminal);
}
