import { salvage } from '#commands/salvage.ts';
import { createTerminal } from '#commands/terminal.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { ownedDisk } from '#store/folder/fs/owned-disk.ts';
import { thisHost } from '#store/folder/host.ts';
import { checkNames, listNames } from '#store/folder/open-log.ts';
import { repairFolder } from '#store/folder/failed-sync.ts';
import { salvageFolder } from '#store/folder/salvage.ts';
import { createInterruptSignal, storeConfig } from './run-command.ts';

/** Opens no store. @throws ConfigError, CorruptionError, StoreFailure */
export async function runRepair(dataDir: string | undefined): Promise<void> {
  const terminal = createTerminal(createInterruptSignal());
  const { dataDir: folder } = storeConfig({ DATA_DIR: dataDir });
  const disk = ownedDisk(folder);
  checkNames(folder, await listNames(disk, folder), true);
  const isRepaired = await repairFolder({
    disk,
    folder,
    host: thisHost,
  });
  terminal.printResult(
    isRepaired
      ? 'The log has been rewritten. Restart every process that has the folder open.'
      : 'Nothing was done: this folder has no record of a write that the disk failed to store.',
  );
}

/** Opens no store. @throws CommandError, IncompleteSalvage */
export async function runSalvage(folder: string, file: string): Promise<void> {
  const terminal = createTerminal(createInterruptSignal());
  await salvage(folder, file, () => salvageFolder(nodeDisk, folder), terminal);
}
