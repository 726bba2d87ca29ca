import { salvage } from '#commands/salvage.ts';
import { createTerminal } from '#commands/terminal.ts';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { salvageFolder } from '#store/jsonl/salvage/salvage-folder.ts';
import { createInterruptSignal } from './run-command.ts';

/** Runs `salvage`, which opens no store. @throws CommandError, IncompleteSalvage */
export async function runSalvage(folder: string, file: string): Promise<void> {
  const terminal = createTerminal(createInterruptSignal());
  await salvage({ folder, file, read: () => salvageFolder(nodeDisk, folder) }, terminal);
}
